/** When the devices of a site were online lately, in slots: for lists and small pictures of many devices. */
import * as z from 'zod';
import { NodeId } from './device-list.ts';
import { Count, DeviceName, succeeded } from './device-terms.ts';
import { type Operations, queryInteger } from './operation.ts';
import { Time } from './records.ts';

export const PRESENCE_SLOTS = 48;
const MAX_PRESENCE_DEVICES = 200;
const DEFAULT_HOURS = 24;
const MAX_HOURS = 168;

/** The longest name of a device, and a comma. */
const NAME_CHARACTERS = 101;

const DeviceNames = z
  .string()
  .max(MAX_PRESENCE_DEVICES * NAME_CHARACTERS, { abort: true })
  .transform((text, context): string[] => {
    const names = text.split(',');
    const keys = names.length > MAX_PRESENCE_DEVICES ? [] : names.map((name) => DeviceName.safeParse(name.trim()));
    if (keys.length > 0 && keys.every(({ success }) => success))
      return [...new Set(keys.flatMap(({ data }) => data ?? []))];
    const message = `expected up to ${MAX_PRESENCE_DEVICES} devices, as in the path of /devices/{mac}, separated by commas`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({
    description: `Up to ${MAX_PRESENCE_DEVICES} devices, separated by commas, each named as in the path of \`/devices/{mac}\`. Those that are not there are left out of the answer. Without it, only the numbers of the whole site.`,
  });

const PresenceText = z
  .string()
  .length(PRESENCE_SLOTS)
  .regex(/^[#+.?]*$/)
  .meta({
    description:
      'One character for each slot: `#` online all of it, `+` some of it, `.` not there, `?` not known, because nobody looked.',
  });

const Latency = z
  .object({
    ms: z.number(),
    isHigh: z.boolean().meta({
      description: 'Whether it is more than twice, and 5 ms above, the mean of the hours before.',
    }),
  })
  .meta({ id: 'DeviceLatency' });
export type DeviceLatency = z.infer<typeof Latency>;

export const presence = {
  devicePresence: {
    method: 'GET',
    path: '/devices/presence',
    scope: 'devices:read',
    perSite: true,
    summary: 'When devices were online in the last hours, in 48 slots; and their latency, as it was measured last',
    query: z.object({
      devices: DeviceNames.optional(),
      hours: queryInteger(1, MAX_HOURS)
        .default(DEFAULT_HOURS)
        .meta({ description: `How far back. Default: ${DEFAULT_HOURS}.` }),
    }),
    response: z.object({
      success: succeeded,
      from: Time,
      to: Time.meta({ description: 'Now, rounded up to a minute.' }),
      slotSeconds: z.int(),
      online: z.array(Count.nullable()).length(PRESENCE_SLOTS).meta({
        description:
          'How many devices, of those that are not archived now, were online at the end of each slot; null where nothing is known of any.',
      }),
      devices: z.record(NodeId, PresenceText).meta({ description: 'By the names of `devices`, as keys.' }),
      latency: z.record(NodeId, Latency).meta({
        description: 'The same for those of `devices` that a ping check asks, and that answered.',
      }),
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
