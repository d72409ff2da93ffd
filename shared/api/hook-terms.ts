/** The settings of hooks: URL, secret, quiet hours and devices. */
import * as z from 'zod';
import { parseDeviceKey } from '../device.ts';
import { addressOf, isMailto, MAIL_ADDRESS_EXPECTED, parseMailto } from '../mail-address.ts';
import { Window } from '../schedule-terms.ts';
import { EventType } from './events.ts';
import type { HookFormat } from './hook-events.ts';
import { list } from './list.ts';

const MAX_URL_CHARACTERS = 2_000;

/** A normalized absolute URL. The sender checks which addresses it may reach, because a name can change its address. */
export const HookUrl = z
  .string()
  .max(MAX_URL_CHARACTERS, { error: `expected a URL of at most ${MAX_URL_CHARACTERS} characters`, abort: true })
  .transform((text, context): string => {
    const mailto = parseMailto(text);
    if (mailto !== null) return mailto;
    const url = URL.canParse(text) ? new URL(text) : null;
    const reject = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (isMailto(text)) return reject(`after mailto: ${MAIL_ADDRESS_EXPECTED}`);
    if (url === null || !['https:', 'http:'].includes(url.protocol)) return reject('expected a URL with https://');
    if (url.username !== '' || url.password !== '') return reject('expected a URL without a user name or password');
    url.hash = '';
    return url.href.length <= MAX_URL_CHARACTERS ? url.href : reject('expected a shorter URL');
  })
  .describe(
    'The target: https://, or http:// too on a system on one machine that allows private targets. Stored as a secret: no answer and no log contains it in full. Of the form `email`: `mailto:` and one address, which answers contain.',
  );

/** The end is shown only if the rest is too long to guess. */
const SHOWN_END = 4;
const LONG_ENOUGH = 16;

/** The URL of a hook for answers: the part after the host may be a secret. */
export function shownUrl(text: string): string {
  if (addressOf(text) !== null) return text;
  const { origin } = new URL(text);
  const rest = text.slice(origin.length);
  if (rest === '/') return text;
  return `${origin}/…${rest.length >= LONG_ENOUGH ? rest.slice(-SHOWN_END) : ''}`;
}

/** The host of a hook for the audit and for lists; of an e-mail address its domain. */
export function hostOfHook(url: string): string {
  return addressOf(url)?.split('@')[1] ?? new URL(url).host;
}

/** What does not fit together in the settings of a hook; null when all does. */
export function misfit({ url, format, report = null }: { url: string; format: HookFormat; report?: object | null }) {
  if (isMailto(url) !== (format === 'email'))
    return { path: ['url'], message: 'expected mailto:<address> with the format email, and only with it' };
  if (report !== null && format !== 'email')
    return { path: ['report'], message: 'expected null: only the format email has reports' };
  return null;
}

/** The bytes of a base64 text, one character each; null when invalid. Without Buffer, for browsers. */
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
      description: 'Events that it delivers at once all the same.',
      'x-checked-further': true,
    }),
  })
  .refine(({ from, to }) => from !== to, { error: 'expected quiet hours that end at another time than they begin' })
  .meta({
    id: 'QuietHours',
    'x-checked-further': true,
    description:
      'A part of each day in the time zone of the site, which may span midnight. Its events are held, and delivered when it ends, as one message like a digest. In the cloud up to an hour later.',
  });
export type Quiet = z.infer<typeof Quiet>;

/** Entries of each list of {@link Only}. */
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
    types: chosen(Word, 'Of these kinds (`devType`).'),
    groups: chosen(Word, 'In these groups (`devGroup`).'),
    devices: chosen(NamedByKey, 'These devices, named as in paths.'),
    favourites: z.boolean().optional().describe('Favourites.'),
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
      'The devices whose events a hook delivers: those that match any of these. Events of no single device, such as an outage or a change of many, are always delivered.',
  });
export type Only = z.infer<typeof Only>;
