/**
 * `/devices/presence`: when devices were online lately.
 *
 * Costs the rows of the token and of the collection, as every request about devices (1.5 read units). The first request in a
 * process reads the changes of its time span, some 200 bytes each (one unit for 20 changes, at most 20,000 of them); later
 * ones only newer changes. Never a row for each device. With `devices`, once a minute the checks, the agents, and the
 * agents' measurements.
 */
import { PRESENCE_SLOTS, type PresenceSpan } from '../../shared/api/device-presence.ts';
import type { devices as operations } from '../../shared/api/devices.ts';
import { inCategory } from '../../shared/device.ts';
import type { Handlers } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { latencyOf } from '../monitoring/series/latency.ts';
import type { StateChange } from '../monitoring/series/presence.ts';
import { OnlineCount, type SlotSpan, slotText } from '../monitoring/series/presence-slots.ts';
import { openPresenceStore, RECENT, type RecentPresence } from '../monitoring/series/presence-store.ts';
import { inSlices } from '../table/slices.ts';
import type { SiteWatch } from './collection/coverage-row.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { revalidated } from './encoded-list.ts';

/** The first one in a process reads thousands of changes; each visits all devices of its site. */
const answers = openSemaphore({
  atOnce: 2,
  waiting: 9_000,
  refusal: 'Too many answers about the last hours are being made at the moment; try again later',
});

export const presenceHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'devicePresence'> = {
  async devicePresence(context, call, { devices: names, hours, spans: hasSpans }) {
    const now = context.now();
    // The end of the minute, so that all callers of a minute share one result, which includes that minute.
    const to = Math.ceil(now.getTime() / 60_000) * 60_000;
    const current = await context.devices.read(call.site);
    const { snapshot, staleSince, watch } = current;
    const seconds = hours * 3_600;
    const span = { from: to / 1000 - seconds, slotSeconds: seconds / PRESENCE_SLOTS, until: to / 1000 };
    const version = [snapshot.site, snapshot.version, watch.tag, staleSince, to, hours].join();
    return revalidated(call, `W/${etagOf([version, names, hasSpans])}`, async () => {
      const { online, shown, spans } = await answers.run(async () => {
        const range = seconds <= RECENT.day ? 'day' : seconds <= RECENT.week ? 'week' : 'month';
        const recent = await openPresenceStore(context.devices, context.now).recent(current, range);
        const online = await snapshot.deriveFor('online in slots', version, () => countOnline(snapshot, recent, span));
        return {
          online,
          shown: shownOf(snapshot, names ?? [], ({ key }) => slotText(recent.statesOf(key, span), span)),
          spans: hasSpans
            ? shownOf(snapshot, names ?? [], (device) => spansOf(device, current.watch, recent, span))
            : null,
        };
      });
      const latencies = names === undefined ? new Map() : await latencyOf(context, snapshot, now);
      return {
        success: true,
        from: new Date(span.from * 1000).toISOString(),
        to: new Date(to).toISOString(),
        slotSeconds: span.slotSeconds,
        online,
        devices: shown,
        ...(spans === null ? {} : { spans }),
        latency: shownOf(snapshot, names ?? [], ({ key }) => latencies.get(key)),
      };
    });
  },
};

type Wanted = SlotSpan & { until: number };

/** Devices that were deleted meanwhile count for as long as they existed. */
async function countOnline(snapshot: Snapshot, recent: RecentPresence, span: Wanted): Promise<(number | null)[]> {
  const count = new OnlineCount();
  for await (const slice of inSlices(recent.keys)) {
    for (const key of slice) {
      const device = snapshot.get(key);
      if (device === undefined || inCategory('my', device.record)) count.add(recent.statesOf(key, span), span);
    }
  }
  return count.counts;
}

function shownOf<Shown>(
  snapshot: Snapshot,
  names: readonly DeviceKey[],
  show: (device: StoredDevice) => Shown | undefined,
): Record<DeviceKey, Shown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const device = snapshot.deviceOf(name);
      const shown = device && show(device);
      return shown === undefined ? [] : [[name, shown]];
    }),
  );
}

function spansOf(device: StoredDevice, watch: SiteWatch, recent: RecentPresence, span: Wanted): PresenceSpan[] {
  const states = recent.statesOf(device.key, span);
  const alerts = recent.alertsOf(device.key, span.from);
  const { state, since } = watch.of(device);
  const unwatchedFrom = state === 'unwatched' && since !== null ? Math.floor(Date.parse(since) / 1000) : Infinity;
  const spans: { at: number; state: PresenceSpan['state'] }[] = [];
  const add = (at: number, state: PresenceSpan['state']) => {
    if (spans.at(-1)?.state !== state) spans.push({ at, state });
  };
  const at = (all: readonly StateChange[], time: number) => all.findLast((one) => one.at <= time)?.is ?? null;
  const times = [span.from, unwatchedFrom, ...[...states, ...alerts].map((one) => one.at)];
  for (const time of [...new Set(times)].filter((one) => one >= span.from && one < span.until).sort((a, b) => a - b)) {
    const is = at(states, time);
    if (is === null) add(time, time >= unwatchedFrom ? 'unwatched' : 'unknown');
    else add(time, is ? 'online' : at(alerts, time) === true ? 'down' : 'offline');
  }
  return spans.map(({ at, state }) => ({ since: new Date(at * 1000).toISOString(), state }));
}
