/**
 * Proposals of where devices are connected: places that the evidence shows, unless a person has set the parent.
 * @promise Proposed places make no loop: `test/api/placements.test.ts`.
 */
import { INTERNET } from '../../shared/device.ts';
import { type PlaceConclusion, placesOf } from '../../shared/recognition/place.ts';
import { inSlices } from '../table/slices.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';
import { allObserved, unpackObserved } from './collection/observed.ts';
import type { Snapshot } from './collection/snapshot.ts';

export interface Placement {
  key: DeviceKey;
  device: StoredDevice;
  parent: StoredDevice;
  place: PlaceConclusion;
}

/** Finds a device by its key, or by another of its MACs. */
type Find = (mac: string) => StoredDevice | undefined;

/** More levels than a network has. A device below them is not placed. */
const MAX_LEVELS = 64;

/**
 * The most certain possible place of a device, if it differs from the present one. Null for a device whose parent a person
 * has set, and for the root of the topology. Parents are devices of the collection, and no place makes a loop.
 */
export function placementOf(device: StoredDevice, find: Find): Placement | null {
  const { key, record, byPerson = [], observed } = device;
  const isSet = byPerson.includes('devParentMAC') || byPerson.includes('devParentPort');
  const isRoot = key === INTERNET || record.devParentMAC === INTERNET;
  if (observed === undefined || isSet || isRoot || record.devIsArchived === 1) return null;
  for (const place of placesOf(allObserved(unpackObserved(observed)))) {
    const parent = find(place.value.parent);
    if (parent === undefined || !isAbove(parent, key, find)) continue;
    const { port } = place.value;
    const isThere = parent.key === record.devParentMAC && (port === '' || port === record.devParentPort);
    return isThere ? null : { key, device, parent, place };
  }
  return null;
}

export function placed({ device, parent, place }: Placement): StoredDevice {
  const record = { ...device.record, devParentMAC: parent.key, devParentPort: place.value.port };
  return { ...device, record };
}

/** Whether the device can be below this parent: neither the parent nor its ancestors are the device itself, or a loop. */
function isAbove(parent: StoredDevice, key: DeviceKey, find: Find): boolean {
  let above: StoredDevice | undefined = parent;
  for (let level = 0; level < MAX_LEVELS; level++) {
    if (above === undefined) return true;
    if (above.key === key) return false;
    const next: string = above.record.devParentMAC;
    if (next === '' || next === INTERNET) return true;
    above = find(next);
  }
  return false;
}

/** The proposals for a collection, or some devices of it, by key. The most certain are decided first, so that they make no loop. */
export async function placementsIn(snapshot: Snapshot, only?: ReadonlySet<DeviceKey>): Promise<Placement[]> {
  const found: Placement[] = [];
  const find: Find = (mac) => snapshot.deviceOf(mac);
  for await (const slice of inSlices(snapshot.devices)) {
    for (const device of slice) {
      const placement = only?.has(device.key) === false ? null : placementOf(device, find);
      if (placement !== null) found.push(placement);
    }
  }
  found.sort((a, b) => b.place.confidence - a.place.confidence || (a.key < b.key ? -1 : 1));
  const moved = new Map<DeviceKey, StoredDevice>();
  const findMoved: Find = (mac) => {
    const device = find(mac);
    return device && (moved.get(device.key) ?? device);
  };
  const fitting: Placement[] = [];
  for (const { device } of found) {
    const placement = placementOf(device, findMoved);
    if (placement === null) continue;
    moved.set(device.key, placed(placement));
    fitting.push(placement);
  }
  return fitting.sort((a, b) => (a.key < b.key ? -1 : 1));
}
