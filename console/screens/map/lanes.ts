/** The devices by network: each network is a card, its devices in the order of their addresses. */
import {
  formatRange,
  type IpAddress,
  type IpRange,
  parseIp,
  parseRange,
  rangeOf,
  rangeWithin,
  withoutHostBits,
} from '../../../shared/addresses.ts';
import { type Branch, type Forest, INTERNET, type TopologyDevice } from './tree.ts';

/** A prefix that no key of a device has. */
const LANE = 'lane:';

/** The network of a lane in CIDR notation; empty for devices without an address; null: not a lane. */
export const networkOfLane = (key: string): string | null => (key.startsWith(LANE) ? key.slice(LANE.length) : null);

/** @param networks of the agents, in CIDR notation; an address in none of them counts to its /24, or for IPv6 its /64 */
export function lanesOf(devices: readonly TopologyDevice[], networks: readonly string[]): Forest {
  const known = networks.flatMap(knownRange).toSorted((a, b) => b.prefix - a.prefix);
  const lanes = new Map<string, { order: bigint; members: { device: TopologyDevice; value: bigint }[] }>();
  for (const device of devices) {
    if (device.key === INTERNET) continue;
    const address = parseIp(device.ip); // Devices report it, so it may be any text.
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

type KnownRange = IpRange & { text: string };

function laneOf(address: IpAddress | null, known: readonly KnownRange[]): { network: string; order: bigint } {
  if (address === null) return { network: '', order: 0n };
  const found = known.find((range) => rangeWithin(rangeOf(address), range));
  if (found !== undefined) return { network: found.text, order: found.address.value };
  const own = withoutHostBits({ address, prefix: address.family === 4 ? 24 : 64 });
  return { network: formatRange(own), order: own.address.value };
}

function knownRange(text: string): KnownRange[] {
  const range = parseRange(text);
  return range === null ? [] : [{ ...withoutHostBits(range), text }];
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
