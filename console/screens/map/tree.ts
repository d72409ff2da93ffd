/**
 * Which devices hang on which: the infrastructure as trees. Infrastructure are the devices that others have as parent;
 * the others are leaves of their parent. Parents are what people and imports say, so they may form circles, or be devices
 * that do not exist.
 */
import type { DeviceStatus, INTERNET as InternetKey } from '../../../shared/device.ts';

export interface TopologyDevice {
  key: string;
  name: string;
  ip: string;
  type: string;
  status: DeviceStatus;
  /** Key of another device, `Internet`, or empty. */
  parent: string;
  parentPort: string;
}

export interface Counts {
  devices: number;
  down: number;
}

/** A device with what hangs on it. */
export interface Branch {
  /** The key of the device; empty for the branch that holds the devices without a parent. */
  key: string;
  /** Null for the devices without a parent, and for the Internet if it is only a parent. */
  device: TopologyDevice | null;
  parent: Branch | null;
  branches: Branch[];
  leaves: TopologyDevice[];
  /** What hangs on the device itself. */
  direct: Counts;
  /** What is behind it. */
  all: Counts;
}

export interface Forest {
  roots: readonly Branch[];
  /** All of them, each behind its parent. */
  branches: readonly Branch[];
  /** The branch of every device: its own, or the one whose leaf it is. */
  holders: ReadonlyMap<string, Branch>;
  byKey: ReadonlyMap<string, TopologyDevice>;
}

/** Not imported, because zod would come with it. */
export const INTERNET: typeof InternetKey = 'Internet';
/** The branch of the devices that have no parent, or one that does not exist. No device has an empty key. */
export const WITHOUT_PARENT = '';

const GATEWAY = /gateway|router|firewall|modem/i;
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** What a device is called where there is room for one text. */
export function titleOf({ name, ip, key }: TopologyDevice): string {
  return name.trim() || ip || key;
}

/** The devices in use: archived ones only where others hang on them. */
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

/** Every device is in it exactly once: as a branch, or as a leaf of one. */
export function forestOf(devices: readonly TopologyDevice[]): Forest {
  const sorted = devices.toSorted(byTitle);
  const byKey = new Map(sorted.map((device) => [device.key, device]));
  const hanging = new Map<string, TopologyDevice[]>();
  const free: TopologyDevice[] = [];
  for (const device of byKey.values()) {
    const { key, parent } = device;
    const isOn = key !== INTERNET && parent !== key && (byKey.has(parent) || parent === INTERNET);
    if (!isOn) {
      free.push(device);
      continue;
    }
    const others = hanging.get(parent);
    if (others === undefined) hanging.set(parent, [device]);
    else others.push(device);
  }
  const isInfrastructure = ({ key }: TopologyDevice) => hanging.has(key) || key === INTERNET;

  const holders = new Map<string, Branch>();
  const branches: Branch[] = [];
  /** Adds a branch with everything behind it, level by level: the first to reach a device keeps it. */
  const grow = (root: Branch) => {
    const added = [root];
    holders.set(root.key, root);
    for (const branch of added) {
      for (const device of hanging.get(branch.key) ?? []) {
        if (holders.has(device.key)) continue;
        if (isInfrastructure(device)) {
          const next = newBranch(device.key, device, branch);
          branch.branches.push(next);
          added.push(next);
          holders.set(device.key, next);
        } else {
          branch.leaves.push(device);
          holders.set(device.key, branch);
        }
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
  for (const device of byKey.values()) {
    if (holders.has(device.key) || !hanging.has(device.key)) continue;
    const first = firstOfCircle(device, byKey, hanging);
    if (!holders.has(first.key)) others.push(grow(newBranch(first.key, first, null)));
  }
  const withoutParent = newBranch(WITHOUT_PARENT, null, null);
  withoutParent.leaves = free.filter((device) => !isInfrastructure(device));
  for (const { key } of withoutParent.leaves) holders.set(key, withoutParent);

  for (const branch of branches.toReversed()) count(branch);
  roots.push(...others.toSorted((a, b) => b.all.devices - a.all.devices));
  if (withoutParent.leaves.length > 0) {
    count(withoutParent);
    roots.push(withoutParent);
    branches.push(withoutParent);
  }
  return { roots, branches, holders, byKey };
}

/** The device and everything that hangs on it, directly or through others: what cannot become its parent. */
export function withAllBehind(devices: readonly TopologyDevice[], key: string): Set<string> {
  const hanging = new Map<string, string[]>();
  for (const device of devices) {
    if (device.key === INTERNET) continue;
    const others = hanging.get(device.parent);
    if (others === undefined) hanging.set(device.parent, [device.key]);
    else others.push(device.key);
  }
  const behind = new Set([key]);
  for (const one of behind) for (const next of hanging.get(one) ?? []) behind.add(next);
  return behind;
}

function byTitle(a: TopologyDevice, b: TopologyDevice): number {
  return collator.compare(titleOf(a), titleOf(b)) || (a.key < b.key ? -1 : 1);
}

function newBranch(key: string, device: TopologyDevice | null, parent: Branch | null): Branch {
  const none = { devices: 0, down: 0 };
  return { key, device, parent, branches: [], leaves: [], direct: none, all: none };
}

/**
 * Follows the parents from a device into the circle in which they end, and chooses where to cut it: above the gateway if
 * there is one in the circle, otherwise above the device on which most others hang.
 */
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
      const weight = ({ key, type }: TopologyDevice) => [GATEWAY.test(type) ? 1 : 0, hanging.get(key)?.length ?? 0];
      return circle.reduce((best, one) => {
        const [bestGateway = 0, bestCount = 0] = weight(best);
        const [gateway = 0, count = 0] = weight(one);
        return gateway > bestGateway || (gateway === bestGateway && count > bestCount) ? one : best;
      });
    }
    seen.add(at);
    way.push(at);
  }
  return device;
}

/** The branches behind it have been counted already. */
function count(branch: Branch): void {
  const isDown = (device: TopologyDevice | null) => (device?.status === 'down' ? 1 : 0);
  const direct = { devices: branch.leaves.length + branch.branches.length, down: 0 };
  for (const leaf of branch.leaves) direct.down += isDown(leaf);
  for (const { device } of branch.branches) direct.down += isDown(device);
  branch.direct = direct;
  branch.all = branch.branches.reduce(
    (sum, { all }) => ({ devices: sum.devices + all.devices, down: sum.down + all.down }),
    direct,
  );
}
