/** Of which devices, and of what of them, a hook tells, whatever the types of events that it has chosen. */
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { Only } from '../../shared/api/hook-terms.ts';
import type { DeviceRecord } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JournalEntry } from '../devices/collection/change-row.ts';
import { type DeviceKey, unpackRecord } from '../devices/collection/device-codec.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import { eventsOf } from '../devices/events.ts';
import type { StoredHook } from './hook-store.ts';

/** What is known of devices now, by their keys; null for those that are not there any more. */
export type Facts = ReadonlyMap<DeviceKey, Fact | null>;
type Fact = Pick<DeviceRecord, 'devName' | 'devType' | 'devGroup' | 'devFavorite'>;

/**
 * Reads what is needed to judge and to name the events of these entries, and no more.
 * @param options.known what was read before: that is part of the answer, and is not read again
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
    const unnamed = new Set<DeviceKey>();
    const events = eventsOf(entry, (key) => {
      unnamed.add(key);
      return '';
    });
    for (const { device, members = [] } of events.filter(wants)) {
      if (device !== null && (only !== undefined || unnamed.has(device.key))) keys.add(device.key);
      for (const { key } of members) if (unnamed.has(key)) keys.add(key);
    }
  }
  const unknown = [...keys].filter((key) => !known.has(key));
  const read = await devices.recordsOf(site, unknown);
  const facts = new Map(known);
  for (const key of unknown) {
    const record = read.get(key);
    if (record === undefined) {
      facts.set(key, null);
      continue;
    }
    const { devName, devType, devGroup, devFavorite } = record;
    facts.set(key, { devName, devType, devGroup, devFavorite });
  }
  return facts;
}

/** The devices of which the entries do not say what they are called. */
export function unnamedIn(entries: readonly JournalEntry[]): DeviceKey[] {
  const unnamed = new Set<DeviceKey>();
  for (const entry of entries) {
    eventsOf(entry, (key) => {
      unnamed.add(key);
      return '';
    });
  }
  return [...unnamed];
}

/** @returns whether the hook tells of an event, if it tells of events of its type */
export function chooser(
  { events, only, skipRandomMacs }: Pick<StoredHook, 'events' | 'only' | 'skipRandomMacs'>,
  facts: Facts,
): (event: DeviceEvent, entry: JournalEntry) => boolean {
  return (event, entry) => {
    const { type, device, outage } = event;
    // Who has chosen outages hears of their devices by them.
    if (outage !== undefined && events.includes(type === 'online' ? 'outage-over' : 'outage')) return false;
    if (only !== undefined && device !== null && !fits(only, device.key, facts.get(device.key))) return false;
    return !(skipRandomMacs && type === 'new' && newcomer(entry, device?.key)?.devRandomMAC === 1);
  };
}

/** What an entry says of a device that it has added. */
export function newcomer({ devices }: JournalEntry, key: DeviceKey | undefined): DeviceRecord | null {
  const added = (devices ?? []).find((change) => change[1] === '+' && change[0] === key);
  return added?.[1] === '+' ? unpackRecord(added[2], added[0]) : null;
}

/** One of which nothing is known counts as one that fits: better told once too often. */
function fits(
  { types = [], groups = [], devices = [], favourites = false }: Only,
  key: DeviceKey,
  known: Fact | null | undefined,
): boolean {
  if (devices.includes(key)) return true;
  if (known === undefined || known === null) return types.length > 0 || groups.length > 0 || favourites;
  const { devType, devGroup, devFavorite } = known;
  return types.includes(devType) || groups.includes(devGroup) || (favourites && devFavorite === 1);
}
