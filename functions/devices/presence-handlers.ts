/**
 * `/devices/presence`: when devices were online lately.
 *
 * What it costs: the row of the token and that of the collection, as any question about devices (1.5 read units). The first
 * time in a process it reads the changes of the time that is asked for, some 200 bytes each (one unit for 20 changes, at most
 * 20,000 of them); afterwards only those that came since. Never a row for a device. With `devices`, once a minute the checks,
 * the agents, and what the agents have measured.
 */
import { type DeviceLatency, PRESENCE_SLOTS } from '../../shared/api/device-presence.ts';
import type { devices as operations } from '../../shared/api/devices.ts';
import { inCategory } from '../../shared/device.ts';
import type { Handlers } from '../http/call.ts';
import { etagOf, namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { latencyOf } from '../monitoring/series/latency.ts';
import { OnlineCount, type SlotSpan, slotText } from '../monitoring/series/presence-slots.ts';
import { openPresenceStore, RECENT, type RecentPresence } from '../monitoring/series/presence-store.ts';
import { inSlices } from '../table/slices.ts';
import type { DeviceKey } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';

const MINUTE_MS = 60_000;

/** The first of a process reads thousands of changes; each looks at all devices of its site. */
const answers = openSemaphore({
  atOnce: 2,
  waiting: 9_000,
  waitMs: 60_000,
  refusal: 'Too many answers about the last hours are being made at the moment; try again later',
});

export const presenceHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'devicePresence'> = {
  async devicePresence(context, call, { devices: names, hours }) {
    const now = context.now();
    // So that those who ask within a minute are given the same, and what happens in it counts.
    const to = Math.ceil(now.getTime() / MINUTE_MS) * MINUTE_MS;
    const current = await context.devices.read(call.site);
    const { snapshot, staleSince, watch } = current;
    const seconds = hours * 3_600;
    const span = { from: to / 1000 - seconds, slotSeconds: seconds / PRESENCE_SLOTS, until: to / 1000 };
    const version = [snapshot.site, snapshot.version, watch.tag, staleSince, to, hours].join();
    const headers = {
      ETag: `W/${etagOf([version, names])}`,
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept-Encoding, Authorization, X-Site',
    };
    // Answered as 304. Who asks again and again should not have it computed each time.
    if (namesEtag(call.ifNoneMatch, headers.ETag)) return new HandlerResult(null, { headers });
    const { online, shown } = await answers.run(async () => {
      const recent = await openPresenceStore(context.devices, context.now).recent(
        current,
        seconds <= RECENT.day ? 'day' : 'week',
      );
      const online = await snapshot.deriveFor('online in slots', version, () => countOnline(snapshot, recent, span));
      return { online, shown: shownOf(snapshot, recent, span, names ?? []) };
    });
    const latencies = names === undefined ? new Map() : await latencyOf(context, snapshot, now);
    const body = {
      success: true,
      from: new Date(span.from * 1000).toISOString(),
      to: new Date(to).toISOString(),
      slotSeconds: span.slotSeconds,
      online,
      devices: shown,
      latency: latencyIn(snapshot, latencies, names ?? []),
    };
    return new HandlerResult(body, { headers });
  },
};

type Wanted = SlotSpan & { until: number };

/** Devices that were deleted meanwhile count as long as they were there. */
async function countOnline(snapshot: Snapshot, recent: RecentPresence, span: Wanted): Promise<(number | null)[]> {
  const count = new OnlineCount();
  for await (const slice of inSlices(recent.keys)) {
    for (const key of slice) {
      const device = snapshot.get(key);
      if (device === undefined || inCategory('my', device.record)) count.add(recent.turnsOf(key, span), span);
    }
  }
  return count.counts;
}

function shownOf(
  snapshot: Snapshot,
  recent: RecentPresence,
  span: Wanted,
  names: readonly DeviceKey[],
): Record<DeviceKey, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const device = snapshot.deviceOf(name);
      return device === undefined ? [] : [[name, slotText(recent.turnsOf(device.key, span), span)]];
    }),
  );
}

function latencyIn(
  snapshot: Snapshot,
  latencies: ReadonlyMap<DeviceKey, DeviceLatency>,
  names: readonly DeviceKey[],
): Record<DeviceKey, DeviceLatency> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const latency = latencies.get(snapshot.deviceOf(name)?.key ?? '');
      return latency === undefined ? [] : [[name, latency]];
    }),
  );
}
