/** The messages of hooks. */
import * as z from 'zod';
import { HOOK_FORMATS } from '../words.ts';
import { ChangeGroup, SummaryCodes } from './changes.ts';
import { DeviceEvent, EventType, NamedDevice } from './events.ts';
import { named } from './operation.ts';
import { Time } from './records.ts';

export const HookEventType = z.enum([...EventType.options, 'flapping', 'digest', 'report', 'test']);
export const HookFormat = z.enum(HOOK_FORMATS);
export type HookFormat = z.infer<typeof HookFormat>;

/** Devices that an event of many names. */
export const MAX_NAMED = 10;
/** Devices, and other subjects, in a digest. */
export const MAX_DIGEST_GROUPS = 20;

/** The payload of a delivery: an event, a count of events of a type, flapping presence, a digest, or a test. */
export const HookEvent = named('HookEvent', {
  ...DeviceEvent.shape,
  id: z.string(),
  type: HookEventType,
  cause: z.enum([...DeviceEvent.shape.cause.options, 'digest', 'report', 'test']),
  site: z.string(),
  ip: z.string().optional().describe('Of a new device: its address, if known.'),
  vendor: z.string().optional().describe('Of a new device: the vendor of its network card, if known.'),
  devices: z
    .array(NamedDevice)
    .max(MAX_NAMED)
    .optional()
    .describe(
      'Of several events of a type within a minute, delivered as one: the first of the `count`. Of events of agents, checks and schedules: these, with their ids as `key`.',
    ),
  digest: z
    .object({
      since: Time,
      until: Time,
      summary: z.string(),
      summaryCodes: SummaryCodes,
      changes: z.array(ChangeGroup).max(MAX_DIGEST_GROUPS).describe('As in `GET /changes`.'),
      more: z.int().min(0).describe('How many others it leaves out.'),
    })
    .optional()
    .describe('Of a digest: the changes since the last one.'),
});
export type HookEvent = z.infer<typeof HookEvent>;

/** The body of a delivery in the form `json`, by the Standard Webhooks specification. */
export const HookMessage = named('HookMessage', {
  type: z
    .string()
    .describe(
      '`device.` and the type of the event; for events of no device, the kind of the `subject` in place of `device`, as in `site.site-dark`; `digest`, or `test`.',
    ),
  timestamp: Time.describe('When the event happened.'),
  data: HookEvent,
});
export type HookMessage = z.infer<typeof HookMessage>;
