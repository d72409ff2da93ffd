/** `/hooks`: notifications of events of a site, and their deliveries. */
import * as z from 'zod';
import { Digest, ReportTime } from '../schedule-terms.ts';
import { matching } from '../text-schemas.ts';
import { DELIVERY_STATES } from '../words.ts';
import { EventType } from './events.ts';
import { HookEventType, HookFormat } from './hook-events.ts';
import { HookUrl, misfit, Only, Quiet, SigningSecret } from './hook-terms.ts';
import { list } from './list.ts';
import { answer, named, type Operations, onSite, queryInteger, Unreadables } from './operation.ts';
import { Label, Origin, Time, TokenId } from './records.ts';

/** Hooks of one site. */
export const MAX_HOOKS = 20;
/** Stored deliveries of a hook. */
export const MAX_DELIVERIES = 50;

export const HookId = matching(12, /^[0-9a-f]{12}$/, 'expected the 12 hexadecimal digits of the id of a hook');

/** Begins with the time of the event (Unix, s), which orders the deliveries of a hook. */
const DeliveryId = matching(
  40,
  /^\d{10}_[0-9a-z_]{1,29}$/,
  'expected the id of a delivery, such as 1793520900_1763800000002_0',
);

const Events = list(EventType, { max: EventType.options.length }).meta({
  description:
    'The events that it delivers; an empty list only with a digest or a report. Presence that changes too often is delivered once, as `flapping`. Within a minute three events are delivered separately (100 in the form `json`), and the others together: as one event with a `count` if they are of one type, else as a summary (`digest`). A hook with `outage` and `outage-over` leaves out the events of the devices of an outage. The loss of an agent, a site or the internet is delivered after two minutes, unless it is over by then; in the form `json` at once.',
  'x-checked-further': true,
});

/** The error for a hook with neither. */
const NO_EVENTS = 'expected at least one event, unless there is a digest or a report';

const DigestSetting = Digest.nullable().describe(
  'At this time in the time zone of the site, the receiver gets one message with the changes since the last one, even if there are none. In the cloud up to an hour later. Null: no digest.',
);

const ReportSetting = ReportTime.nullable().describe(
  'Of the form `email`: a report of the site, as `GET /reports` has it; on the devices of `only`, else on favourites. In the cloud up to an hour later. Null: no report.',
);

const Name = Label.nullable().describe('A name for people; null: none.');
const QuietSetting = Quiet.nullable().describe('Null: it delivers at any time.');
const OnlySetting = Only.nullable().describe('Null: every device.');

const SkipRandomMacs = z
  .boolean()
  .describe(
    'Whether `new` leaves out devices with a randomized MAC, such as phones: they may come back with another one.',
  );

/** The fields of a new hook. */
export const hookFields = {
  name: Name.default(null),
  url: HookUrl,
  format: HookFormat.default('json'),
  events: Events,
  skipRandomMacs: SkipRandomMacs.default(false),
  quiet: QuietSetting.default(null),
  only: OnlySetting.default(null),
  digest: DigestSetting.default(null),
  report: ReportSetting.default(null),
  secret: SigningSecret.optional().describe('Signs the deliveries. Default: a new one.'),
  enabled: z.boolean().default(true),
};

type Fitting = Pick<z.output<z.ZodObject<typeof hookFields>>, 'events' | 'digest' | 'report' | 'url' | 'format'>;

/** What is wrong with the settings of a hook; null when nothing is. */
export function faultOfHook({ events, digest, report, url, format }: Fitting) {
  if (events.length === 0 && digest === null && report === null) return { path: ['events'], message: NO_EVENTS };
  return misfit({ url, format, report });
}

/** Refuses a hook with such a fault. */
export function requireHookFits(hook: Fitting, context: z.RefinementCtx): void {
  const fault = faultOfHook(hook);
  if (fault !== null) context.addIssue({ code: 'custom', ...fault });
}

export const Hook = named('Hook', {
  id: HookId,
  name: Name,
  url: z.string().describe('Scheme, host, and the end of the rest; an e-mail address in full.'),
  format: HookFormat.describe('`json` is signed; the others are messages for people.'),
  events: z.array(EventType),
  skipRandomMacs: SkipRandomMacs,
  quiet: QuietSetting,
  only: OnlySetting,
  digest: DigestSetting,
  report: ReportSetting,
  enabled: z.boolean(),
  createdAt: Time,
  createdBy: TokenId,
  origin: Origin,
  deliveredAt: Time.nullable().describe('When a delivery last succeeded; accurate to five minutes.'),
  failingSince: Time.nullable().describe('Since when every delivery has failed; null while they succeed.'),
  problem: z.string().nullable().describe('Why the service disabled it: its receiver has answered 410.'),
});
export type Hook = z.infer<typeof Hook>;

export const DeliveryState = z.enum(DELIVERY_STATES);
export type DeliveryState = z.infer<typeof DeliveryState>;

export const Delivery = named('Delivery', {
  id: DeliveryId,
  webhookId: z.string().describe('The header `webhook-id`: the same in every attempt.'),
  event: HookEventType,
  device: z.string().nullable().describe('Name of the device; null for a change of many, and for a test.'),
  at: Time.describe('When the event happened.'),
  state: DeliveryState,
  attempts: z.int().min(0),
  nextAttemptAt: Time.nullable().describe(
    'Not before this time. Until then later events wait; after a day of failures the service discards the message.',
  ),
  endedAt: Time.nullable(),
  status: z.int().nullable().describe('HTTP status of the last answer, or its SMTP code; null when there was none.'),
  reason: z.string().nullable().describe('Why the last attempt failed.'),
});
export type Delivery = z.infer<typeof Delivery>;

const exampleHook = {
  id: '0123456789ab',
  name: null,
  url: 'https://hooks.example.org/…3f9c',
  format: 'json' as const,
  events: ['new' as const, 'down' as const],
  skipRandomMacs: false,
  ...{ quiet: null, only: null, digest: null, report: null },
  enabled: true,
  createdAt: '2026-11-01T08:15:00.000Z',
  createdBy: '0123456789abcdef',
  ...{ deliveredAt: null, failingSince: null, problem: null },
};
const exampleSecret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const exampleDelivery = {
  id: '1793520900_1763800000002_0',
  webhookId: '0123456789ab_1793520900_1763800000002_0',
  event: 'down' as const,
  device: 'nas',
  at: '2026-11-01T08:15:00.000Z',
  state: 'dead' as const,
  attempts: 31,
  nextAttemptAt: null,
  endedAt: '2026-11-02T08:16:00.000Z',
  status: 500,
  reason: 'it answered 500',
};
const about = { hook: exampleHook.id };
const test = { ...exampleDelivery, event: 'test' as const, device: null, state: 'delivered' as const, attempts: 1 };
const arrived = { endedAt: '2026-11-01T08:15:01.000Z', status: 204, reason: null };

export const hooks = {
  listHooks: {
    ...onSite('GET', '/hooks', 'admin'),
    summary: 'The hooks of a site',
    response: answer({ hooks: z.array(Hook), unreadable: Unreadables }),
    example: { response: { success: true, hooks: [exampleHook], unreadable: [] } },
  },
  addHook: {
    ...onSite('POST', '/hooks', 'admin'),
    audit: 'hook.add',
    status: 201,
    summary: 'Add a hook: from now on its receiver gets these events; only this answer contains its secret',
    body: z.strictObject(hookFields).superRefine(requireHookFits),
    response: answer({ secret: z.string(), ...Hook.shape }),
    errors: ['conflict'],
    example: {
      body: { url: 'https://hooks.example.org/lan/7d0e5a1b3f9c', events: ['new', 'down'] },
      response: { success: true, secret: exampleSecret, ...exampleHook },
    },
  },
  getHook: {
    ...onSite('GET', '/hooks/{hook}', 'admin'),
    summary: 'One hook',
    params: z.object({ hook: HookId }),
    response: answer(Hook.shape),
    errors: ['not_found'],
    example: { params: about, response: { success: true, ...exampleHook } },
  },
  changeHook: {
    ...onSite('PATCH', '/hooks/{hook}', 'admin'),
    audit: 'hook.change',
    summary: 'Change a hook; omitted fields stay as they are. Events while it is disabled are not delivered later',
    params: z.object({ hook: HookId }),
    body: z
      .strictObject({
        name: Name.optional(),
        url: HookUrl.optional(),
        format: HookFormat.optional(),
        events: Events.optional(),
        skipRandomMacs: SkipRandomMacs.optional(),
        quiet: QuietSetting.optional(),
        only: OnlySetting.optional(),
        digest: DigestSetting.optional(),
        report: ReportSetting.optional(),
        enabled: z.boolean().optional(),
        secret: z
          .union([z.literal('new'), SigningSecret], { error: 'expected "new", or whsec_ and 24 to 64 bytes in base64' })
          .optional()
          .describe('Replaces the secret by this one, or with `new` by a generated one.'),
      })
      .refine((wanted) => Object.keys(wanted).length > 0, {
        error: 'expected name, url, format, events, skipRandomMacs, quiet, only, digest, report, enabled or secret',
      }),
    response: answer({
      secret: z.string().nullable().describe('The secret if it was replaced, else null.'),
      ...Hook.shape,
    }),
    errors: ['not_found', 'conflict'],
    example: {
      params: about,
      body: { enabled: false },
      response: { success: true, secret: null, ...exampleHook, enabled: false },
    },
  },
  removeHook: {
    ...onSite('DELETE', '/hooks/{hook}', 'admin'),
    audit: 'hook.remove',
    summary: 'Remove a hook, and discard its pending deliveries',
    params: z.object({ hook: HookId }),
    response: answer({}),
    errors: ['not_found'],
    example: { params: about, response: { success: true } },
  },
  testHook: {
    ...onSite('POST', '/hooks/{hook}/test', 'admin'),
    audit: 'hook.test',
    status: 201,
    summary: 'Send a test event now; its outcome is also in the deliveries of the hook',
    params: z.object({ hook: HookId }),
    response: answer(Delivery.shape),
    errors: ['not_found', 'conflict'],
    example: { params: about, response: { success: true, ...test, ...arrived } },
  },
  tryHook: {
    ...onSite('POST', '/hooks/test', 'admin'),
    audit: 'hook.try',
    summary: 'Send a test event to a URL before adding the hook; at most ten times a minute per process',
    body: z
      .strictObject({ url: HookUrl, format: HookFormat.default('json'), secret: SigningSecret.optional() })
      .superRefine((wanted, context) => {
        const fault = misfit(wanted);
        if (fault !== null) context.addIssue({ code: 'custom', ...fault });
      }),
    response: answer({
      delivered: z.boolean(),
      status: z.int().nullable().describe('HTTP status of the answer, or its SMTP code; null when there was none.'),
      reason: z.string().nullable().describe('Why it was not delivered.'),
    }),
    example: {
      body: { url: 'https://ntfy.sh/lan-7d0e5a1b3f9c', format: 'ntfy' },
      response: { success: true, delivered: true, status: 200, reason: null },
    },
  },
  listDeliveries: {
    ...onSite('GET', '/hooks/{hook}/deliveries', 'admin'),
    summary: 'The last 50 messages of a hook, and the one in flight; the newest first',
    params: z.object({ hook: HookId }),
    query: z.object({
      state: DeliveryState.optional(),
      limit: queryInteger(1, 500).default(50),
      cursor: DeliveryId.optional().describe('`nextCursor` of the previous page.'),
    }),
    response: answer({
      deliveries: z.array(Delivery).max(500),
      unreadable: Unreadables,
      nextCursor: DeliveryId.nullable().describe('For older ones; null when there are none.'),
    }),
    errors: ['not_found'],
    example: {
      params: about,
      query: { state: 'dead' },
      response: { success: true, deliveries: [exampleDelivery], unreadable: [], nextCursor: null },
    },
  },
} as const satisfies Operations;
