/** What a hook tells its receiver, and in which form. */
import * as z from 'zod';
import { HOOK_FORMATS } from '../words.ts';
import { ChangeGroup, SummaryCodes } from './changes.ts';
import { DeviceEvent, EventType, NamedDevice } from './events.ts';
import { Time } from './records.ts';

export const HookEventType = z.enum([...EventType.options, 'flapping', 'digest', 'test']);
/** In which form a hook tells of an event. */
export const HookFormat = z.enum(HOOK_FORMATS);
export type HookFormat = z.infer<typeof HookFormat>;

/** Most devices that an event of many names. */
export const MAX_NAMED = 10;
/** Most devices, and other things, of which a digest tells. */
export const MAX_TOLD = 20;

/**
 * What a delivery tells: an event, how many of a type there were, that a device's presence changes too often, what has
 * changed since the last digest, or a test.
 */
export const HookEvent = z
  .object({
    ...DeviceEvent.shape,
    id: z.string(),
    type: HookEventType,
    cause: z.enum([...DeviceEvent.shape.cause.options, 'digest', 'test']),
    site: z.string(),
    ip: z.string().optional().meta({ description: 'Of a new device: its address, if it is known.' }),
    vendor: z.string().optional().meta({ description: 'Of a new device: who made its network card, if it is known.' }),
    devices: z.array(NamedDevice).max(MAX_NAMED).optional().meta({
      description:
        'Of several events of a type within a minute, told as one: the first of the `count`. Of events of agents, checks and schedules these stand here, with their ids as `key`.',
    }),
    digest: z
      .object({
        since: Time,
        until: Time,
        summary: z.string(),
        summaryCodes: SummaryCodes,
        changes: z.array(ChangeGroup).max(MAX_TOLD).meta({ description: 'As `GET /changes` has them.' }),
        more: z.int().min(0).meta({ description: 'Of how many others it does not tell.' }),
      })
      .optional()
      .meta({ description: 'Of a digest: what has changed since the last one.' }),
  })
  .meta({ id: 'HookEvent' });
export type HookEvent = z.infer<typeof HookEvent>;

/** The body of a delivery in the form `json`, as the Standard Webhooks specification has it. */
export const HookMessage = z
  .object({
    type: z.string().meta({
      description:
        '`device.` and the type of the event; for what happened to no device, the kind of the `subject` in place of `device`, as in `site.site-dark`; `digest`, or `test`.',
    }),
    timestamp: Time.meta({ description: 'When the event happened.' }),
    data: HookEvent,
  })
  .meta({ id: 'HookMessage' });
export type HookMessage = z.infer<typeof HookMessage>;
