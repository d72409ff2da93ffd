/** The recent presence of devices in slots, for lists with small charts. */
import * as z from 'zod';
import { parsedText } from '../text-schemas.ts';
import { NodeId } from './device-list.ts';
import { Count, DeviceName } from './device-terms.ts';
import { answer, named, type Operations, onSite, queryFlag, queryInteger } from './operation.ts';
import { Time } from './records.ts';

export const PRESENCE_SLOTS = 48;
const MAX_PRESENCE_DEVICES = 200;
const DEFAULT_HOURS = 24;
const MAX_HOURS = 720;

/** The longest name of a device, and a comma. */
const NAME_CHARACTERS = 101;

export const DeviceNames = parsedText(
  MAX_PRESENCE_DEVICES * NAME_CHARACTERS,
  `expected up to ${MAX_PRESENCE_DEVICES} devices, as in the path of /devices/{mac}, separated by commas`,
  (text) => {
    const names = text.split(',');
    const keys = names.length > MAX_PRESENCE_DEVICES ? [] : names.map((name) => DeviceName.safeParse(name.trim()));
    if (keys.length === 0 || keys.some(({ success }) => !success)) return null;
    return [...new Set(keys.flatMap(({ data }) => data ?? []))];
  },
).describe(
  `Up to ${MAX_PRESENCE_DEVICES} devices, separated by commas, each named as in the path of \`/devices/{mac}\`. The answer omits unknown ones. Without it, only the numbers of the whole site.`,
);

const PresenceText = z
  .string()
  .length(PRESENCE_SLOTS)
  .regex(/^[#+.?]*$/)
  .describe(
    'One character for each slot: `#` online all of it, `+` some of it, `.` offline, `?` unknown, because unmonitored.',
  );

export const PresenceSpan = named('PresenceSpan', {
  since: Time,
  state: z
    .enum(['online', 'offline', 'down', 'unknown', 'unwatched'])
    .describe('`down`: offline while an alert was wanted. `unwatched`: unknown, since no agent monitors it now.'),
});
export type PresenceSpan = z.infer<typeof PresenceSpan>;

const Latency = named('DeviceLatency', {
  ms: z.number(),
  isHigh: z.boolean().describe('Whether it is more than twice, and 5 ms above, the mean of the hours before.'),
});
export type DeviceLatency = z.infer<typeof Latency>;

export const presence = {
  devicePresence: {
    ...onSite('GET', '/devices/presence', 'devices:read'),
    summary: 'When devices were online in the last hours, in 48 slots; and their last measured latency',
    query: z.object({
      devices: DeviceNames.optional(),
      hours: queryInteger(1, MAX_HOURS).default(DEFAULT_HOURS).describe(`How far back. Default: ${DEFAULT_HOURS}.`),
      spans: queryFlag.describe('Whether the answer also has the states of `devices`, to the second.'),
    }),
    response: answer({
      from: Time,
      to: Time.describe('Now, rounded up to a minute.'),
      slotSeconds: z.int(),
      online: z
        .array(Count.nullable())
        .length(PRESENCE_SLOTS)
        .describe(
          'How many devices that are not archived now were online at the end of each slot; null if none is known.',
        ),
      devices: z.record(NodeId, PresenceText).describe('By the names of `devices`, as keys.'),
      spans: z
        .record(NodeId, z.array(PresenceSpan))
        .optional()
        .describe('With `spans=true`: the states of each device, in order; the first begins at `from`.'),
      latency: z.record(NodeId, Latency).describe('For those of `devices` that a ping check covers and that answered.'),
    }),
    hasEtag: true,
    example: {
      query: { devices: '00:1E:06:AA:BB:01' },
      response: {
        success: true,
        from: '2026-11-01T08:15:00.000Z',
        to: '2026-11-02T08:15:00.000Z',
        slotSeconds: 1_800,
        online: Array.from({ length: PRESENCE_SLOTS }, (_, slot) => (slot < 2 ? null : 31)),
        devices: { '00:1E:06:AA:BB:01': `??${'#'.repeat(30)}+...+${'#'.repeat(11)}` },
        latency: { '00:1E:06:AA:BB:01': { ms: 0.8, isHigh: false } },
      },
    },
  },
} as const satisfies Operations;
