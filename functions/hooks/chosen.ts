/** Filters the events of a hook by device, and by what it has chosen beside the types of events. */
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { Only } from '../../shared/api/hook-terms.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JournalEntry } from '../devices/collection/change-row.ts';
import { type DeviceKey, unpackRecord } from '../devices/collection/device-codec.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import { eventsOf } from '../devices/events.ts';
import type { StoredHook } from './hook-store.ts';

/** Current facts of devices, by their keys; null for those that no longer exist. */
export type Facts = ReadonlyMap<DeviceKey, Fact | null>;
type Fact = Pick<DeviceRecord, 'devName' | 'devType' | 'devGroup' | 'devFavorite'>;

/**
 * Reads what is needed to filter and to name the events of these entries, and no more.
 * @param options.known what was read earlier: it is part of the result, and is not read again
 * @param options.wants which events are needed
 */
export async function factsOf(
  devices: Pick<DeviceStore, 'recordsOf'>,
  site: SiteId,
  { only }: Pick<StoredHook, 'only'>,
  entries: readonly JournalEntry[],
  { known = new Map(), wants = () => true }: { known?: Facts; wants?(event: DeviceEvent): boolean } = {},
): Promise<Facts> {
  const keys = new Set<DeviceKey>();
  for (const entry of entries) {
    const { events, unnamed } = namedEvents(entry);
    for (const { device, members = [] } of events.filter(wants)) {
      if (device !== null && (only !== undefined || unnamed.has(device.key))) keys.add(device.key);
      for (const { key } of members) if (unnamed.has(key)) keys.add(key);
    }
  }
  const unknown = [...keys].filter((key) => !known.has(key));
  const records = await devices.recordsOf(site, unknown);
  const facts = new Map(known);
  for (const key of unknown) {
    const record = records.get(key);
    const { devName, devType, devGroup, devFavorite } = record ?? ({} as Fact);
    facts.set(key, record === undefined ? null : { devName, devType, devGroup, devFavorite });
  }
  return facts;
}

/** The devices whose names are not in the entries. */
export const unnamedIn = (entries: readonly JournalEntry[]): DeviceKey[] => [
  ...new Set(entries.flatMap((entry) => [...namedEvents(entry).unnamed])),
];

/** The events of an entry, and the devices whose names it lacks. */
function namedEvents(entry: JournalEntry) {
  const unnamed = new Set<DeviceKey>();
  const events = eventsOf(entry, (key) => {
    unnamed.add(key);
    return '';
  });
  return { events, unnamed };
}

/** @returns whether the hook sends an event, provided that it sends events of its type */
export function chooser(
  { events, only, skipRandomMacs }: Pick<StoredHook, 'events' | 'only' | 'skipRandomMacs'>,
  facts: Facts,
): (event: DeviceEvent, entry: JournalEntry) => boolean {
  return (event, entry) => {
    const { type, device, outage } = event;
    // A hook that sends outages reports their devices by them.
    if (outage !== undefined && events.includes(type === 'online' ? 'outage-over' : 'outage')) return false;
    if (only !== undefined && device !== null && !fits(only, device.key, facts.get(device.key))) return false;
    return !(skipRandomMacs && type === 'new' && newcomer(entry, device?.key)?.devRandomMAC === 1);
  };
}

/** The record of a device that an entry has added. */
export function newcomer({ devices }: JournalEntry, key: DeviceKey | undefined): DeviceRecord | null {
  const added = (devices ?? []).find((change) => change[1] === '+' && change[0] === key);
  return added?.[1] === '+' ? unpackRecord(added[2], added[0]) : null;
}

/** An unknown device passes: an extra notification is better than a missing one. */
export function fits(
  { types = [], groups = [], devices = [], favourites = false }: Only,
  key: DeviceKey,
  known: Fact | null | undefined,
): boolean {
  if (devices.includes(key)) return true;
  if (known === undefined || known === null) return types.length > 0 || groups.length > 0 || favourites;
  const { devType, devGroup, devFavorite } = known;
  return types.includes(devType) || groups.includes(devGroup) || (favourites && devFavorite === 1);
}
