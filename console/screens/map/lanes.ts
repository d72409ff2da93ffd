/** The devices in groups, each a card: by network, in the order of their addresses, or by access point. */
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
import { kindMeantBy } from '../../../shared/recognition/kind-table.ts';
import { type Branch, countsOf, type Forest, INTERNET, type TopologyDevice } from './tree.ts';

/** A prefix that no key of a device has. */
const LANE = 'lane:';
export const WITHOUT_POINT = '-';

/** The network of a lane in CIDR notation, empty for devices without an address, or `WITHOUT_POINT`; null: not a lane. */
export const nameOfLane = (key: string): string | null => (key.startsWith(LANE) ? key.slice(LANE.length) : null);

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
    .map(([network, { members }]) => {
      const leaves = members.toSorted((a, b) => compare(a.value, b.value)).map(({ device }) => device);
      return groupOf(LANE + network, null, leaves);
    });
  return forestOfGroups(branches, devices);
}

/** Each access point with the devices on it, then all others. Without access points, one group. */
export function pointsOf({ branches, byKey }: Forest): Forest {
  const points = branches.filter(({ device }) => device !== null && kindMeantBy(device.type) === 'access-point');
  const groups = points.map(({ key, device, leaves }) => groupOf(key, device, leaves));
  const placed = new Set(groups.flatMap(({ key, leaves }) => [key, ...leaves.map((leaf) => leaf.key)]));
  const devices = [...byKey.values()].filter(({ key }) => key !== INTERNET);
  const others = devices.filter(({ key }) => !placed.has(key));
  return forestOfGroups(
    others.length === 0 ? groups : [...groups, groupOf(LANE + WITHOUT_POINT, null, others)],
    devices,
  );
}

const groupOf = (key: string, device: TopologyDevice | null, leaves: TopologyDevice[]): Branch => ({
  ...{ key, device, parent: null, branches: [], leaves },
  counts: countsOf(leaves),
});

const forestOfGroups = (branches: readonly Branch[], devices: readonly TopologyDevice[]): Forest => ({
  ...{ roots: branches, branches },
  byKey: new Map(devices.map((device) => [device.key, device])),
});

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
