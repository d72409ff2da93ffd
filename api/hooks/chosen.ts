/** Of which devices, and of what of them, a hook tells, whatever the types of events that it has chosen. */
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { Only } from '../../shared/api/hook-terms.ts';
import { type DeviceRecord, UNKNOWN_NAMES } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JournalEntry } from '../../store/devices/change-row.ts';
import { type DeviceKey, unpackRecord } from '../../store/devices/device-codec.ts';
import type { DeviceStore } from '../../store/devices/device-store.ts';
import type { StoredHook } from '../../store/hooks/hook-store.ts';
import { eventsOf } from '../devices/events.ts';

/** What is known of devices now, by their keys. */
export type Facts = ReadonlyMap<DeviceKey, Pick<DeviceRecord, 'devName' | 'devType' | 'devGroup' | 'devFavorite'>>;

/** Reads what is needed to judge and to name the events of these entries, and no more. */
export async function factsOf(
  devices: Pick<DeviceStore, 'recordsOf'>,
  site: SiteId,
  { only }: Pick<StoredHook, 'only'>,
  entries: readonly JournalEntry[],
): Promise<Facts> {
  const keys = new Set(unnamedIn(entries));
  if (only !== undefined) {
    for (const { devices: changed, told = [] } of entries) {
      for (const [key] of changed ?? []) keys.add(key);
      for (const { device } of told) if (device !== undefined) keys.add(device);
    }
  }
  return devices.recordsOf(site, [...keys]);
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
  { events, format, only, skipRandomMacs = false }: Pick<StoredHook, 'events' | 'format' | 'only' | 'skipRandomMacs'>,
  facts: Facts,
): (event: DeviceEvent, entry: JournalEntry) => boolean {
  return (event, entry) => {
    const { type, device, outage } = event;
    // Who has chosen outages hears of their devices by them.
    if (outage !== undefined && events.includes(type === 'online' ? 'outage-over' : 'outage')) return false;
    if (only !== undefined && device !== null && !fits(only, device.key, facts.get(device.key))) return false;
    if (format !== 'json' && isFirstName(event)) return false;
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
  known: (Facts extends ReadonlyMap<DeviceKey, infer Record> ? Record : never) | undefined,
): boolean {
  if (devices.includes(key)) return true;
  if (known === undefined) return types.length > 0 || groups.length > 0 || favourites;
  const { devType, devGroup, devFavorite } = known;
  return types.includes(devType) || groups.includes(devGroup) || (favourites && devFavorite === 1);
}

/**
 * Whether discovery has found a name for a device that had none. It asks for names after it has told who is there, so that
 * the first look at a network would be a message for each device behind the one that tells of it.
 */
function isFirstName({ type, cause, changes }: DeviceEvent): boolean {
  if (type !== 'renamed' || cause !== 'sighting') return false;
  return UNKNOWN_NAMES.some((name) => name === changes.devName?.from);
}
