/** The devices by the network in which they are: each network a card, with its devices in the order of their addresses. */
import type { Branch, Forest, TopologyDevice } from './tree.ts';
import { INTERNET } from './tree.ts';

/** Before the name of a network, so that no device has the same key. */
const LANE = 'lane:';
const ELSEWHERE = `${LANE}`;

/** The network of a lane in CIDR notation; empty for devices without an address; null for what is no lane. */
export function networkOfLane(key: string): string | null {
  return key.startsWith(LANE) ? key.slice(LANE.length) : null;
}

/**
 * @param networks those of which agents say that they are attached to them, in CIDR notation; an address in none of them
 *   counts to its /24, or for IPv6 to its /64
 */
export function lanesOf(devices: readonly TopologyDevice[], networks: readonly string[]): Forest {
  const known = networks.flatMap((network) => rangeOf(network) ?? []).toSorted((a, b) => b.prefix - a.prefix);
  const lanes = new Map<string, { order: bigint; devices: { device: TopologyDevice; order: bigint }[] }>();
  for (const device of devices) {
    if (device.key === INTERNET) continue;
    const address = addressOf(device.ip);
    const { network, order } = laneOf(address, known);
    const lane = lanes.get(network);
    const one = { device, order: address?.value ?? 0n };
    if (lane === undefined) lanes.set(network, { order, devices: [one] });
    else lane.devices.push(one);
  }
  const branches = [...lanes]
    .toSorted(([a, { order: one }], [b, { order: two }]) => Number(a === '') - Number(b === '') || compare(one, two))
    .map(([network, lane]) =>
      branchOf(
        network,
        lane.devices.toSorted((a, b) => compare(a.order, b.order)).map(({ device }) => device),
      ),
    );
  const holders = new Map(branches.flatMap((branch) => branch.leaves.map(({ key }) => [key, branch] as const)));
  return { roots: branches, branches, holders, byKey: new Map(devices.map((device) => [device.key, device])) };
}

function branchOf(network: string, leaves: TopologyDevice[]): Branch {
  const counts = { devices: leaves.length, down: leaves.filter(({ status }) => status === 'down').length };
  const key = network === '' ? ELSEWHERE : `${LANE}${network}`;
  return { key, device: null, parent: null, branches: [], leaves, direct: counts, all: counts };
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
  const found = known.find((range) => range.bits === address.bits && isIn(address, range));
  if (found !== undefined) return { network: found.text, order: found.value };
  const prefix = address.bits === 32 ? 24 : 64;
  const value = masked(address, prefix);
  return { network: `${textOf(value, address.bits)}/${prefix}`, order: value };
}

function isIn(address: Address, { value, prefix }: Range): boolean {
  return masked(address, prefix) === value;
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

/** Devices say their addresses themselves, so anything may stand here; null for what is none. */
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
