/**
 * Joins randomized MACs automatically: a person has joined such MACs with the device before, and so confirmed that it changes
 * them; or exactly one device has the same DHCP name and fingerprint. Never while another MAC of the device is online, and
 * never a device on which a person has set anything.
 */
import { INTERNET } from '../../shared/device.ts';
import type { Change, Occurrence } from '../devices/collection/change-row.ts';
import type { DeviceKey, StoredDevice } from '../devices/collection/device-codec.ts';
import type { Snapshot } from '../devices/collection/snapshot.ts';
import { identityOf } from '../devices/identity.ts';
import { APART, joined, occurrenceOf, othersOf } from '../devices/members.ts';
import { isLocalMac } from '../devices/same-device.ts';

/** Moves new MACs out of what a message adds or changes, into the devices that they belong to. */
export function autoJoin(
  snapshot: Snapshot,
  put: Map<DeviceKey, StoredDevice>,
  now: Date,
): Required<Pick<Change, 'remove' | 'occurrences'>> {
  const remove: DeviceKey[] = [];
  const occurrences: Occurrence[] = [];
  const changing = snapshot.derive('changing their MACs', changingDevices);
  const alike = snapshot.derive('randomized MACs by DHCP', byDhcp);
  if (changing.length === 0 && alike.size === 0) return { remove, occurrences };
  const owners = byName(changing.flatMap(({ key }) => put.get(key) ?? snapshot.get(key) ?? []));
  // A known MAC may only now be joinable: this message has taken the device's former MAC offline.
  const freed = new Set(changing.filter(({ key }) => put.has(key)).flatMap((one) => [...identityOf(one).names.keys()]));
  const gone = [...put.values()].filter(({ record }) => record.devPresentLastScan === 0);
  const freedAlike = new Set(gone.map((one) => identityOf(one).dhcpId));
  const isFreed = (device: StoredDevice) => {
    const { names, dhcpId } = identityOf(device);
    return [...names.keys()].some((name) => freed.has(name)) || (dhcpId !== null && freedAlike.has(dhcpId));
  };
  const waiting = snapshot
    .derive('randomized MACs', (devices) => devices.filter(isNewMac))
    .filter((device) => !put.has(device.key) && isFreed(device));
  for (const device of [...put.values(), ...waiting]) {
    if (!isNewMac(device)) continue;
    const known = ownerOf(device, owners) ?? aloneAlike(device, alike);
    const owner = known && (put.get(known.key) ?? known);
    if (owner === undefined || !isFree(owner, device)) continue;
    put.set(owner.key, joined(owner, [device], now));
    put.delete(device.key);
    if (snapshot.get(device.key) !== undefined) remove.push(device.key);
    occurrences.push(occurrenceOf('joined', owner.key, [device.key], now));
  }
  return { remove, occurrences };
}

function changingDevices(devices: readonly StoredDevice[]): StoredDevice[] {
  return devices.filter((device) => device.joined !== undefined && othersOf(device).some(([mac]) => isLocalMac(mac)));
}

/** An online randomized MAC on which no person has set anything. */
function isNewMac({ key, record, byPerson = [], joined }: StoredDevice): boolean {
  const isUntouched = byPerson.length === 0 && joined === undefined && key !== INTERNET;
  return isUntouched && record.devRandomMAC === 1 && record.devPresentLastScan === 1;
}

/** By each name; null for a name of several devices. */
function byName(devices: readonly StoredDevice[]): Map<string, StoredDevice | null> {
  const owners = new Map<string, StoredDevice | null>();
  for (const device of devices) {
    for (const name of identityOf(device).names.keys()) owners.set(name, owners.has(name) ? null : device);
  }
  return owners;
}

/** The one device that shares a name with it. */
function ownerOf(device: StoredDevice, owners: ReadonlyMap<string, StoredDevice | null>): StoredDevice | undefined {
  const found = [...identityOf(device).names.keys()].map((name) => owners.get(name));
  const [first] = found;
  return found.every((owner) => owner === first) ? (first ?? undefined) : undefined;
}

/** Randomized MACs by DHCP identity, without those that a person has split off. */
function byDhcp(devices: readonly StoredDevice[]): Map<string, StoredDevice[]> {
  const found = new Map<string, StoredDevice[]>();
  for (const device of devices) {
    const { dhcpId } = device.record.devRandomMAC === 1 ? identityOf(device) : { dhcpId: null };
    if (dhcpId !== null && device.byPerson?.includes(APART) !== true)
      found.set(dhcpId, [...(found.get(dhcpId) ?? []), device]);
  }
  return found;
}

/** The one other device with the same DHCP identity; undefined when there are several. */
function aloneAlike(
  device: StoredDevice,
  alike: ReadonlyMap<string, readonly StoredDevice[]>,
): StoredDevice | undefined {
  const all = alike.get(identityOf(device).dhcpId ?? '') ?? [];
  const [owner, ...others] = all.filter(({ key }) => key !== device.key);
  return others.length === 0 ? owner : undefined;
}

/** Whether the device is offline, and was so before the new MAC came. */
function isFree(owner: StoredDevice, { record }: StoredDevice): boolean {
  return owner.record.devPresentLastScan === 0 && owner.record.devLastConnection <= record.devFirstConnection;
}
