/**
 * The infrastructure as trees: devices that are a parent are branches, the others leaves. Parents come from people and
 * imports, so they may form circles or not exist.
 */
import type { DeviceStatus, INTERNET as InternetKey } from '../../../shared/device.ts';

export interface TopologyDevice {
  key: string;
  name: string;
  ip: string;
  type: string;
  status: DeviceStatus;
  parent: string;
  parentPort: string;
}

interface Counts {
  devices: number;
  down: number;
}

export interface Branch {
  /** Of the device; empty for the devices without a parent. */
  key: string;
  /** Null without a parent, and for the Internet that is a parent only. */
  device: TopologyDevice | null;
  parent: Branch | null;
  branches: Branch[];
  leaves: TopologyDevice[];
  /** Of everything behind it. */
  counts: Counts;
}

export interface Forest {
  roots: readonly Branch[];
  branches: readonly Branch[];
  byKey: ReadonlyMap<string, TopologyDevice>;
}

/** A type import only: the value would bring zod along. */
export const INTERNET: typeof InternetKey = 'Internet';
/** The branch of devices without an existing parent. No device has an empty key. */
export const WITHOUT_PARENT = '';

const GATEWAY = /gateway|router|firewall|modem/i;
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The name where there is room for one text. */
export const titleOf = ({ name, ip, key }: TopologyDevice): string => name.trim() || ip || key;

/** Without archived devices, except parents. */
export function inUse(devices: readonly TopologyDevice[]): TopologyDevice[] {
  const byKey = new Map(devices.map((device) => [device.key, device]));
  const used = new Set<TopologyDevice>();
  for (const device of devices) {
    if (device.status === 'archived') continue;
    for (let one: TopologyDevice | undefined = device; one !== undefined && !used.has(one); one = byKey.get(one.parent))
      used.add(one);
  }
  return devices.filter((device) => used.has(device));
}

/** Holds every device exactly once: as a branch or as a leaf. */
export function forestOf(devices: readonly TopologyDevice[]): Forest {
  const sorted = devices.toSorted(byTitle);
  const byKey = new Map(sorted.map((device) => [device.key, device]));
  const hasParent = ({ key, parent }: TopologyDevice) =>
    key !== INTERNET && parent !== key && (byKey.has(parent) || parent === INTERNET);
  const all = [...byKey.values()];
  const hanging = byParent(all.filter(hasParent));
  const free = all.filter((device) => !hasParent(device));
  const isInfrastructure = ({ key }: TopologyDevice) => hanging.has(key) || key === INTERNET;

  const held = new Set<string>();
  const branches: Branch[] = [];
  /** Adds a tree level by level: the first branch to reach a device keeps it. */
  const grow = (root: Branch) => {
    const added = [root];
    held.add(root.key);
    for (const branch of added) {
      for (const device of hanging.get(branch.key) ?? []) {
        if (held.has(device.key)) continue;
        held.add(device.key);
        if (isInfrastructure(device)) {
          const next = newBranch(device.key, device, branch);
          branch.branches.push(next);
          added.push(next);
        } else branch.leaves.push(device);
      }
    }
    branches.push(...added);
    return root;
  };

  const internet = byKey.get(INTERNET);
  const roots: Branch[] = [];
  if (internet !== undefined || hanging.has(INTERNET)) roots.push(grow(newBranch(INTERNET, internet ?? null, null)));
  const others = free
    .filter((device) => device.key !== INTERNET && isInfrastructure(device))
    .map((device) => grow(newBranch(device.key, device, null)));
  for (const device of all) {
    if (held.has(device.key) || !hanging.has(device.key)) continue;
    const first = firstOfCircle(device, byKey, hanging);
    if (!held.has(first.key)) others.push(grow(newBranch(first.key, first, null)));
  }
  const withoutParent = newBranch(WITHOUT_PARENT, null, null);
  withoutParent.leaves = free.filter((device) => !isInfrastructure(device));

  for (const branch of branches.toReversed()) count(branch);
  roots.push(...others.toSorted((a, b) => b.counts.devices - a.counts.devices));
  if (withoutParent.leaves.length > 0) {
    count(withoutParent);
    roots.push(withoutParent);
    branches.push(withoutParent);
  }
  return { roots, branches, byKey };
}

/** The device and its descendants: none of them can become its parent. */
export function withAllBehind(devices: readonly TopologyDevice[], key: string): Set<string> {
  const hanging = byParent(devices.filter((device) => device.key !== INTERNET));
  const behind = new Set([key]);
  for (const one of behind) for (const next of hanging.get(one) ?? []) behind.add(next.key);
  return behind;
}

/** The devices that lose their connection if this one fails: all behind it in its tree, without archived ones. */
export function fallsWith({ branches }: Pick<Forest, 'branches'>, key: string | null): TopologyDevice[] {
  const behind = branches.filter((branch) => branch.key === key && branch.device !== null);
  for (const { branches: next } of behind) behind.push(...next);
  return behind
    .flatMap(({ device, leaves }) => (device === null || device.key === key ? leaves : [device, ...leaves]))
    .filter(({ status }) => status !== 'archived');
}

export function countsOf(devices: readonly TopologyDevice[]): Counts {
  return { devices: devices.length, down: devices.filter(({ status }) => status === 'down').length };
}

function byParent(devices: readonly TopologyDevice[]): Map<string, TopologyDevice[]> {
  const hanging = new Map<string, TopologyDevice[]>();
  for (const device of devices) {
    const siblings = hanging.get(device.parent) ?? [];
    hanging.set(device.parent, siblings);
    siblings.push(device);
  }
  return hanging;
}

function byTitle(a: TopologyDevice, b: TopologyDevice): number {
  return collator.compare(titleOf(a), titleOf(b)) || (a.key < b.key ? -1 : 1);
}

function newBranch(key: string, device: TopologyDevice | null, parent: Branch | null): Branch {
  return { key, device, parent, branches: [], leaves: [], counts: { devices: 0, down: 0 } };
}

/** Follows the parents into their circle and cuts it above its gateway, else above the device with most children. */
function firstOfCircle(
  device: TopologyDevice,
  byKey: ReadonlyMap<string, TopologyDevice>,
  hanging: ReadonlyMap<string, readonly TopologyDevice[]>,
): TopologyDevice {
  const way = [device];
  const seen = new Set(way);
  for (let at = byKey.get(device.parent); at !== undefined; at = byKey.get(at.parent)) {
    if (seen.has(at)) {
      const circle = way.slice(way.indexOf(at));
      // A gateway outweighs any number of children.
      const weight = ({ key, type }: TopologyDevice) =>
        (GATEWAY.test(type) ? 1e9 : 0) + (hanging.get(key)?.length ?? 0);
      return circle.reduce((best, one) => (weight(one) > weight(best) ? one : best));
    }
    seen.add(at);
    way.push(at);
  }
  return device;
}

/** After the branches behind it. */
function count(branch: Branch): void {
  const children = [...branch.leaves, ...branch.branches.flatMap(({ device }) => device ?? [])];
  branch.counts = branch.branches.reduce(
    (sum, { counts }) => ({ devices: sum.devices + counts.devices, down: sum.down + counts.down }),
    countsOf(children),
  );
}
