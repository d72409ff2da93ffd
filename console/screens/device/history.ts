/** What the events of a device say of its past values, and since when it is as it is. */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { parseTime } from '../../text/format.ts';
import { compareIds } from './presence.ts';

/** A value that a field had. */
interface EarlierValue {
  value: string;
  /** ISO 8601; null when it had the value before the first event. */
  since: string | null;
  until: string;
}

/** Each event once, the newest first. */
export function newestFirst(events: readonly DeviceEvent[]): DeviceEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => compareIds(b.id, a.id));
}

/**
 * The values that a field had before the present one, the latest first; times without a value are left out.
 * @param events the newest first
 */
export function earlierValues(events: readonly DeviceEvent[], field: 'devLastIP' | 'devName'): EarlierValue[] {
  const changes = events.flatMap(({ at, changes }) => {
    const change = changes[field];
    return change === undefined ? [] : [{ at, ...change }];
  });
  return changes.flatMap(({ at, from }, i) => {
    const value = String(from ?? '');
    if (value === '') return [];
    const before = changes[i + 1];
    return [{ value, since: before !== undefined && before.to === from ? before.at : null, until: at }];
  });
}

/** Since when agents say that the device is there, or gone (Unix, ms); null when none has seen it. */
export function observedSince({ seenBy, devPresentLastScan }: Pick<OneDevice, 'seenBy' | 'devPresentLastScan'>) {
  const isOnline = devPresentLastScan === 1;
  const times = seenBy.filter(({ online }) => online === isOnline).map(({ since }) => Date.parse(since));
  if (times.length === 0) return null;
  // One that sees it is enough; away it is since the last one has lost it.
  return isOnline ? Math.min(...times) : Math.max(...times);
}

/**
 * Since when the device has its present status, as ISO 8601; null when nobody knows.
 * @param events the newest first
 */
export function statusSince(device: OneDevice, events: readonly DeviceEvent[]): string | null {
  if (device.devStatus === 'archived') return events.find(({ type }) => type === 'archived')?.at ?? null;
  const observed = observedSince(device);
  if (observed !== null) return new Date(observed).toISOString();
  const isOnline = device.devPresentLastScan === 1;
  const last = events.find(({ type }) => type === 'online' || type === 'offline' || type === 'down');
  return last !== undefined && (last.type === 'online') === isOnline ? last.at : null;
}

/** Unix time in ms of a text of the API; null for an empty one. */
export function timeOf(text: string): number | null {
  return parseTime(text)?.getTime() ?? null;
}

/**
 * Whether a MAC is locally administered (IEEE 802, the second lowest bit of the first octet): not given by the maker of
 * the network card, but made up by the device.
 */
export function isMadeUpMac(mac: string): boolean {
  return /^[0-9A-F][26AE]:/i.test(mac);
}
