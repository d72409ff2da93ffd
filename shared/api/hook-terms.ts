/** The words of hooks: where they lead, by what they are signed, and when and of which devices they tell. */
import * as z from 'zod';
import { parseDeviceKey } from '../device.ts';
import { Window } from '../schedule-terms.ts';
import { EventType } from './events.ts';
import { list } from './list.ts';

const MAX_URL_CHARACTERS = 2_000;

/**
 * An absolute URL in the form in which it is used. Which addresses a hook may reach is checked where it is sent, because
 * a name can lead elsewhere tomorrow.
 */
export const HookUrl = z
  .string()
  .max(MAX_URL_CHARACTERS, { error: `expected a URL of at most ${MAX_URL_CHARACTERS} characters`, abort: true })
  .transform((text, context): string => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (url === null || !['https:', 'http:'].includes(url.protocol)) return refuse('expected a URL with https://');
    if (url.username !== '' || url.password !== '') return refuse('expected a URL without a user name or password');
    url.hash = '';
    return url.href.length <= MAX_URL_CHARACTERS ? url.href : refuse('expected a shorter URL');
  })
  .meta({
    description:
      'Where to send: https://, and http:// too on one machine that allows private targets. Stored as a secret: no answer and no log shows it whole.',
  });

/** The end is shown only of what is so long that the rest cannot be guessed. */
const SHOWN_END = 4;
const LONG_ENOUGH = 16;

/** Where a hook leads, as it is shown: what stands behind the host may be a secret. */
export function shownUrl(text: string): string {
  const { origin } = new URL(text);
  const rest = text.slice(origin.length);
  if (rest === '/') return text;
  return `${origin}/…${rest.length >= LONG_ENOUGH ? rest.slice(-SHOWN_END) : ''}`;
}

/** The bytes of a text in base64, one character each; null when it is none. As browsers have it, which use this too. */
function bytesOf(base64: string): string | null {
  try {
    return atob(base64);
  } catch {
    return null;
  }
}

/** A secret of the Standard Webhooks specification: 24 to 64 bytes in base64. */
export const SigningSecret = z
  .string()
  .max(100, { abort: true })
  .refine(
    (text) => {
      const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(text) ?? [];
      const bytes = bytesOf(base64);
      return bytes !== null && bytes.length >= 24 && bytes.length <= 64 && btoa(bytes) === base64;
    },
    { error: 'expected whsec_ and 24 to 64 bytes in base64' },
  );

export const Quiet = z
  .strictObject({
    ...Window.shape,
    exceptEvents: list(EventType, { max: EventType.options.length }).optional().meta({
      description: 'What is told at once all the same.',
      'x-checked-further': true,
    }),
  })
  .refine(({ from, to }) => from !== to, { error: 'expected quiet hours that end at another time than they begin' })
  .meta({
    id: 'QuietHours',
    'x-checked-further': true,
    description:
      'A part of each day by the clock of the site, over midnight too. What happens in it is held, and told when it ends: as one message, like a digest. In the cloud it comes up to an hour later.',
  });
export type Quiet = z.infer<typeof Quiet>;

/** Most entries of each list of {@link Only}. */
const MAX_CHOSEN = 100;
const chosen = <Item extends z.ZodType>(item: Item, description: string) =>
  list(item, { max: MAX_CHOSEN }).optional().meta({ description, 'x-checked-further': true });
const Word = z.string().min(1).max(250);
const NamedByKey = z
  .string()
  .max(100, { abort: true })
  .refine((text) => parseDeviceKey(text) !== null, { error: 'expected a MAC address, or a key as topology has it' })
  .meta({ 'x-checked-further': true });

export const Only = z
  .object({
    types: chosen(Word, 'Of these kinds, as `devType` has them.'),
    groups: chosen(Word, 'In these groups (`devGroup`).'),
    devices: chosen(NamedByKey, 'These, named as in paths.'),
    favourites: z.boolean().optional().meta({ description: 'Those that are favourites.' }),
  })
  .refine(
    ({ types = [], groups = [], devices = [], favourites = false }) =>
      types.length + groups.length + devices.length > 0 || favourites,
    { error: 'expected types, groups, devices or favourites; null for every device' },
  )
  .meta({
    id: 'HookDevices',
    'x-checked-further': true,
    description:
      'Of which devices a hook tells: of those that fit any of these. What happened to no single device, such as an outage or a change of many, is always told.',
  });
export type Only = z.infer<typeof Only>;
