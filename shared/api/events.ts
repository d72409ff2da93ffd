/** `/events`: the events of a site. */
import * as z from 'zod';
import { DEVICE_FIELDS } from '../device.ts';
import { SiteId } from '../identity.ts';
import { ReasonCode } from '../reasons.ts';
import { parsedText } from '../text-schemas.ts';
import { EVENT_TYPES } from '../words.ts';
import { named, queryInteger, queryTime, Unreadables } from './operation.ts';
import { Time } from './records.ts';

export const EventType = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof EventType>;

/** Listed members of an event. */
export const MAX_MEMBERS = 100;

export const NamedDevice = named('NamedDevice', {
  mac: z.string().describe('Empty for a device without MAC.'),
  key: z.string().describe('As in topology, and in the paths of `/devices/{mac}`.'),
  name: z.string().describe('Its name after the change, or at its deletion.'),
});
export type NamedDevice = z.infer<typeof NamedDevice>;

/** The subject of an event that is not about a device. */
export const EventSubject = named('EventSubject', {
  kind: z.enum(['agent', 'site', 'check', 'internet', 'outage', 'schedule']),
  id: z.string().max(100),
  name: z.string().max(255),
});
export type EventSubject = z.infer<typeof EventSubject>;

/** Numbers and words of an event, by names such as `port`, `service`, `seconds`, `reason`. */
export const EventDetail = z
  .record(z.string().max(40), z.union([z.string().max(500), z.number(), z.boolean(), z.null()]))
  .meta({ id: 'EventDetail' });
export type EventDetail = z.infer<typeof EventDetail>;

/** The id of an event: the version of the collection, and the place among the events of that change. */
export const EventId = z.string().regex(/^\d{1,16}\.\d{1,7}$/, 'expected the id of an event, such as 1763800000002.0');

const Value = z.union([z.string(), z.number(), z.null()]);

export const DeviceEvent = named('DeviceEvent', {
  id: EventId,
  site: SiteId.optional().describe('In a list of several sites.'),
  at: Time.describe('When it happened: for observations of an agent, the time at which the agent concluded it.'),
  recordedAt: Time.describe('When the service received it. Later than `at` if the agent was disconnected.'),
  type: EventType,
  device: NamedDevice.nullable().describe(
    'Null for a change of many devices at once, which is one event with a `count`, and for events of no device.',
  ),
  subject: EventSubject.optional().describe('The subject, if not a device.'),
  detail: EventDetail.optional().describe('Details, such as the port that was opened.'),
  reasonCode: ReasonCode,
  members: z
    .array(NamedDevice)
    .max(MAX_MEMBERS)
    .optional()
    .describe('The devices of an outage; of one that is over, those still offline. `count`: how many it affected.'),
  outage: z
    .string()
    .max(20)
    .optional()
    .describe('The outage to which this change belongs: the id of the `subject` of its event.'),
  changes: z
    .partialRecord(z.enum(DEVICE_FIELDS), z.object({ from: Value, to: Value }))
    .describe('The changed fields, before and after.'),
  actor: z.string().describe('Id of the token or of the agent that made the change.'),
  cause: z.enum(['edit', 'import', 'delete', 'restore', 'sighting', 'observation', 'join']),
  count: z
    .int()
    .min(1)
    .optional()
    .describe('How many devices a change of many wrote or deleted, or an outage affected.'),
  deleted: z.int().min(0).optional().describe('How many of the `count` were deleted.'),
});
export type DeviceEvent = z.infer<typeof DeviceEvent>;

/** Events in one answer. */
const MAX_EVENTS = 1_000;

/** Query of the lists of events. */
export const EventQuery = z.object({
  type: parsedText(500, `expected a list of ${EventType.options.join(', ')}`, (text) => {
    const types = text.split(',').map((word) => EventType.safeParse(word.trim()));
    const known = types.flatMap(({ data }) => data ?? []);
    return known.length === types.length ? known : null;
  })
    .optional()
    .describe('Only events of these types, separated by commas.'),
  since: queryTime
    .optional()
    .describe(
      'Only events recorded (`recordedAt`) at this time (ISO 8601, with `Z` or an offset) or later, so that late reports of agents are not missed.',
    ),
  limit: queryInteger(1, MAX_EVENTS).default(100),
  cursor: EventId.max(24).optional().describe('`nextCursor` of the previous page.'),
});

/** An answer with events: the newest first. */
export const EventList = named('EventList', {
  success: z.literal(true),
  events: z.array(DeviceEvent).max(MAX_EVENTS),
  unreadable: Unreadables,
  nextCursor: z
    .string()
    .nullable()
    .describe('Leads on to older events, of which there may be none that fit; null when there are no older ones.'),
});

export const exampleEvents = {
  success: true,
  events: [
    {
      id: '1763800000002.0',
      at: '2026-11-01T08:15:00.000Z',
      recordedAt: '2026-11-01T08:15:00.000Z',
      type: 'renamed',
      device: { mac: '00:1E:06:AA:BB:01', key: '00:1E:06:AA:BB:01', name: 'nas' },
      changes: { devName: { from: '(unknown)', to: 'nas' } },
      actor: '0123456789abcdef',
      cause: 'edit',
    },
  ],
  unreadable: [],
  nextCursor: null,
};
