/** Which devices of a collection seem to be one and the same: proposals for people. Pure. */
import type { SameDevices } from '../../shared/api/device-joining.ts';
import { MAX_JOINED } from '../../shared/device.ts';
import { parseMac } from '../../shared/network.ts';
import { oneLine, startOf } from '../../shared/text.ts';
import { inSlices } from '../table/slices.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';
import { identityOf } from './identity.ts';
import { APART, othersOf } from './members.ts';

interface Group {
  device: StoredDevice;
  others: StoredDevice[];
  reason: string;
  confidence: number;
}

/** Something that devices of one owner or host share, and hardly any others have. */
interface Trait {
  of: 'phones' | 'cards';
  confidence: number;
  reason: string;
  /** Whether their MACs have to be neighbours, too. */
  neighbours?: boolean;
}

/** Interfaces of one host have MACs at most this far apart. */
const NEAR = 8n;
const MAX_NAME = 60;

/** Ordered by the key of the device that would stay; each device is in one group, that with the highest confidence. */
export async function sameDevices(devices: readonly StoredDevice[]): Promise<Group[]> {
  const groups = new Map<string, { trait: Trait; devices: StoredDevice[] }>();
  for await (const slice of inSlices(devices)) {
    for (const device of slice) {
      for (const [name, trait] of traitsOf(device)) {
        const group = groups.get(name);
        if (group === undefined) groups.set(name, { trait, devices: [device] });
        else group.devices.push(device);
      }
    }
  }
  const byConfidence = [...groups.values()]
    .filter((group) => group.devices.length > 1)
    .sort((a, b) => b.trait.confidence - a.trait.confidence);
  const taken = new Set<DeviceKey>();
  const found: Group[] = [];
  for (const { trait, devices } of byConfidence) {
    const free = devices.filter(({ key }) => !taken.has(key)).sort(mostLikelyToStay);
    const [device, ...others] = free;
    if (device === undefined) continue;
    const fitting = trait.of === 'phones' ? neverTogether(device, others) : cardsOf(device, others, trait);
    const room = fitting.slice(0, MAX_JOINED - othersOf(device).length);
    if (room.length === 0) continue;
    for (const { key } of [device, ...room]) taken.add(key);
    found.push({ device, others: room, reason: trait.reason, confidence: trait.confidence });
  }
  return found.sort((a, b) => (a.device.key < b.device.key ? -1 : 1));
}

export function shownGroup({ device, others, ...why }: Group): SameDevices {
  const named = ({ key, record }: StoredDevice) => ({ key, name: record.devName });
  return { device: named(device), others: others.map(named), ...why };
}

function traitsOf(device: StoredDevice): [name: string, trait: Trait][] {
  const isApart = device.byPerson?.includes(APART) === true && device.joined === undefined;
  if (parseMac(device.key) === null || isApart) return [];
  const { names, commonNames, upnpId, snmpName } = identityOf(device);
  const traits: [string, Trait][] = [];
  const ipv4 = device.record.devAddresses.split(',').filter((ip) => ip.includes('.'));
  if (ipv4.length > 1 && device.record.devPresentLastScan === 1) {
    const reason = `All answer for ${ipv4.join(' and ')}: cards of one host.`;
    traits.push([`addresses ${ipv4.join()}`, { of: 'cards', confidence: 0.85, reason }]);
  }
  if (hasRandomMac(device)) {
    const never = 'made up their MACs, and were never there at the same time';
    for (const [label, name] of names) {
      const reason = `All call themselves ${quoted(name)}, ${never}.`;
      traits.push([`phone ${label}`, { of: 'phones', confidence: 0.85, reason }]);
    }
    for (const [label, name] of commonNames) {
      const reason = `All call themselves ${quoted(name)} and ask for addresses in the same way, ${never}. Others of this model do so, too.`;
      traits.push([`model ${label}`, { of: 'phones', confidence: 0.6, reason }]);
    }
    return traits;
  }
  if (device.record.devPresentLastScan !== 1) return traits;
  if (upnpId !== null) {
    const reason = `All have the UPnP id ${quoted(upnpId)}: cards of one host.`;
    traits.push([`upnp ${upnpId}`, { of: 'cards', confidence: 0.9, reason }]);
  }
  if (snmpName !== null) {
    const reason = `All call themselves ${quoted(snmpName)} (SNMP) and have neighbouring MACs: cards of one host.`;
    traits.push([`snmp ${snmpName}`, { of: 'cards', confidence: 0.85, reason, neighbours: true }]);
  }
  for (const [label, name] of names) {
    const reason = `All call themselves ${quoted(name)} and have neighbouring MACs: cards of one host.`;
    traits.push([`host ${label}`, { of: 'cards', confidence: 0.8, reason, neighbours: true }]);
  }
  return traits;
}

const quoted = (text: string) => `"${startOf(oneLine(text), MAX_NAME)}"`;

/** Joined by people or with most fields set by them, then online, then most recently seen. */
function mostLikelyToStay(a: StoredDevice, b: StoredDevice): number {
  const rank = ({ joined, byPerson = [], record }: StoredDevice) =>
    [joined === undefined ? 0 : 1, byPerson.length, record.devPresentLastScan] as const;
  const [one, other] = [rank(a), rank(b)];
  const at = one.findIndex((value, i) => value !== other[i]);
  if (at !== -1) return (other[at] ?? 0) - (one[at] ?? 0);
  return a.record.devLastConnection > b.record.devLastConnection ? -1 : 1;
}

function hasRandomMac({ record, joined = {} }: StoredDevice): boolean {
  return record.devRandomMAC === 1 || Object.keys(joined).some(isLocalMac);
}

/** Whether the MAC is locally administered, not assigned to a vendor: its second-lowest bit (IEEE 802). */
export const isLocalMac = (mac: DeviceKey): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 2) !== 0;

/** Devices that were never online together with the device, or with one another. */
function neverTogether(device: StoredDevice, others: readonly StoredDevice[]): StoredDevice[] {
  const fitting: StoredDevice[] = [];
  for (const other of others) {
    if ([device, ...fitting].every((one) => !wereTogether(one, other))) fitting.push(other);
  }
  return fitting;
}

function wereTogether({ record: one }: StoredDevice, { record: other }: StoredDevice): boolean {
  if (one.devPresentLastScan === 1 && other.devPresentLastScan === 1) return true;
  return one.devFirstConnection <= other.devLastConnection && other.devFirstConnection <= one.devLastConnection;
}

function cardsOf(device: StoredDevice, others: readonly StoredDevice[], { neighbours }: Trait): StoredDevice[] {
  return neighbours ? others.filter((other) => areNeighbours(device.key, other.key)) : [...others];
}

function areNeighbours(a: DeviceKey, b: DeviceKey): boolean {
  const [one, other] = [a, b].map((mac) => BigInt(`0x${mac.replaceAll(':', '')}`)) as [bigint, bigint];
  const distance = one > other ? one - other : other - one;
  return a.slice(0, 8) === b.slice(0, 8) && distance <= NEAR;
}
