/** The order of the events of a device, and since when it has its status. */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { parseTime } from '../../text/format.ts';

/** Each event once, the newest first. */
export function newestFirst(events: readonly DeviceEvent[]): DeviceEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => compareIds(b.id, a.id));
}

/** Ids are the version of the collection, a dot, and the place among the events of that change. */
function compareIds(a: string, b: string): number {
  const [versionA = 0, placeA = 0] = a.split('.').map(Number);
  const [versionB = 0, placeB = 0] = b.split('.').map(Number);
  return versionA - versionB || placeA - placeB;
}

/** Since when agents report the device as present, or as absent (Unix, ms); null when none has seen it. */
export function observedSince({ seenBy, devPresentLastScan }: Pick<OneDevice, 'seenBy' | 'devPresentLastScan'>) {
  const isOnline = devPresentLastScan === 1;
  const times = seenBy.filter(({ online }) => online === isOnline).map(({ since }) => Date.parse(since));
  if (times.length === 0) return null;
  // One agent that sees it is enough; it is offline since the last one has lost it.
  return isOnline ? Math.min(...times) : Math.max(...times);
}

/**
 * Since when the device has its present status, as ISO 8601; null when unknown.
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

/** Whether a MAC is locally administered (IEEE 802: the second lowest bit of the first octet), not the vendor's. */
export function isRandomizedMac(mac: string): boolean {
  return /^[0-9A-F][26AE]:/i.test(mac);
}
