/** The devices by network: each network is a card, its devices in the order of their addresses. */
import { type Branch, type Forest, INTERNET, type TopologyDevice } from './tree.ts';

/** A prefix that no key of a device has. */
const LANE = 'lane:';

/** The network of a lane in CIDR notation; empty for devices without an address; null: not a lane. */
export function networkOfLane(key: string): string | null {
  return key.startsWith(LANE) ? key.slice(LANE.length) : null;
}

/** @param networks of the agents, in CIDR notation; an address in none of them counts to its /24, or for IPv6 its /64 */
export function lanesOf(devices: readonly TopologyDevice[], networks: readonly string[]): Forest {
  const known = networks.flatMap((network) => rangeOf(network) ?? []).toSorted((a, b) => b.prefix - a.prefix);
  const lanes = new Map<string, { order: bigint; members: { device: TopologyDevice; value: bigint }[] }>();
  for (const device of devices) {
    if (device.key === INTERNET) continue;
    const address = addressOf(device.ip);
    const { network, order } = laneOf(address, known);
    const lane = lanes.get(network) ?? { order, members: [] };
    lanes.set(network, lane);
    lane.members.push({ device, value: address?.value ?? 0n });
  }
  const branches = [...lanes]
    .toSorted(([a, { order: one }], [b, { order: two }]) => Number(a === '') - Number(b === '') || compare(one, two))
    .map(([network, { members }]): Branch => {
      const leaves = members.toSorted((a, b) => compare(a.value, b.value)).map(({ device }) => device);
      const counts = { devices: leaves.length, down: leaves.filter(({ status }) => status === 'down').length };
      return { key: LANE + network, device: null, parent: null, branches: [], leaves, direct: counts, all: counts };
    });
  return { roots: branches, branches, byKey: new Map(devices.map((device) => [device.key, device])) };
}

interface Address {
  value: bigint;
  bits: 32 | 128;
}

interface Range extends Address {
  prefix: number;
  text: string;
}

function laneOf(address: Address | null, known: readonly Range[]): { network: string; order: bigint } {
  if (address === null) return { network: '', order: 0n };
  const found = known.find((range) => range.bits === address.bits && masked(address, range.prefix) === range.value);
  if (found !== undefined) return { network: found.text, order: found.value };
  const prefix = address.bits === 32 ? 24 : 64;
  const value = masked(address, prefix);
  return { network: `${textOf(value, address.bits)}/${prefix}`, order: value };
}

function masked({ value, bits }: Address, prefix: number): bigint {
  const rest = BigInt(bits - prefix);
  return (value >> rest) << rest;
}

function rangeOf(text: string): Range | null {
  const [, before = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = addressOf(before);
  const prefix = Number(length);
  if (address === null || prefix > address.bits) return null;
  return { ...address, value: masked(address, prefix), prefix, text };
}

/** Devices report their addresses, so this may be any text; null: not an address. */
function addressOf(text: string): Address | null {
  const parts = text.split('.');
  if (parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) {
    return { value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n), bits: 32 };
  }
  const [head = '', tail, more] = text.split('::');
  if (more !== undefined || !text.includes(':')) return null;
  const groupsOf = (half: string) => (half === '' ? [] : half.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return { value: groups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n), bits: 128 };
}

function textOf(value: bigint, bits: 32 | 128): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = [112n, 96n, 80n, 64n].map((shift) => ((value >> shift) & 65_535n).toString(16));
  return `${groups.join(':')}::`;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
