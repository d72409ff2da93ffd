/** Evidence from a traced route: behind which device of the site its target is. */
import type { EndedJob } from '../../shared/agent/messages.ts';
import { siteOfJob } from '../../shared/identity.ts';
import { formatIp, parseIp } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import type { Assignment } from '../commands/job-store.ts';
import { unlessDeleted } from '../devices/collection/collection-row.ts';
import type { DeviceKey, StoredDevice } from '../devices/collection/device-codec.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import { SCANS, unpackObserved } from '../devices/collection/observed.ts';
import type { Snapshot } from '../devices/collection/snapshot.ts';
import { recognized } from '../devices/recognized.ts';

/** Stores which device is the last hop before a route's target; ignores other results. Idempotent. Rejects as `change`. */
export async function storeRoute(
  devices: DeviceStore,
  { id, agent, command }: Pick<Assignment, 'id' | 'agent' | 'command'>,
  { state, result, endedAt }: EndedJob,
): Promise<void> {
  if (command.tool !== 'traceroute' || state !== 'succeeded' || result === null) return;
  const plan = (snapshot: Snapshot) => {
    const device = withRoute(snapshot, command.target, result as ToolResult<'traceroute'>, endedAt);
    return { put: device === null ? [] : [device], remove: [] };
  };
  const site = siteOfJob(id);
  const snapshot = await unlessDeleted(devices.snapshot(site));
  if (snapshot === null || plan(snapshot).put.length === 0) return;
  await unlessDeleted(devices.change(site, { actor: agent, cause: 'observation' }, plan));
}

/**
 * The target with the device at the hop before it as its parent by route; null when that is known, or there is none. A
 * target on one of the agent's own networks has no hop before it.
 * @param target of the job
 */
export function withRoute(
  snapshot: Snapshot,
  target: string,
  { reached, hops }: ToolResult<'traceroute'>,
  at: number,
): StoredDevice | null {
  const [last, before] = [...hops].sort((a, b) => b.hop - a.hop);
  if (!reached || last === undefined || before === undefined || before.hop !== last.hop - 1) return null;
  const owners = snapshot.derive('by any address', byAnyAddress);
  const ownerOf = (text: string) => {
    const ip = parseIp(text);
    return ip === null ? null : (owners.get(formatIp({ ...ip, zone: null })) ?? null);
  };
  const device = snapshot.get(ownerOf(target) ?? '');
  const routers = new Set(before.probes.map(({ address }) => (address === null ? null : ownerOf(address))));
  routers.delete(null);
  const [router] = routers;
  // Where probes went different ways, no device is the hop before.
  if (device === undefined || routers.size !== 1 || router === device.key || !router?.includes(':')) return null;
  const { observed: packed, ...rest } = device;
  const observed = unpackObserved(packed);
  const known = observed[SCANS] ?? [];
  if (known.some(({ source, value }) => source === 'parent-route' && value === router)) return null;
  const others = known.filter(({ source }) => source !== 'parent-route');
  const found = { source: 'parent-route' as const, value: router, at };
  return recognized({ ...rest, observed: { ...observed, [SCANS]: [...others, found] } });
}

/** Null for an address that two devices have. */
function byAnyAddress(devices: readonly StoredDevice[]): ReadonlyMap<string, DeviceKey | null> {
  const found = new Map<string, DeviceKey | null>();
  for (const { key, record } of devices) {
    for (const ip of new Set([record.devLastIP, ...record.devAddresses.split(',')])) {
      if (ip !== '') found.set(ip, found.has(ip) ? null : key);
    }
  }
  return found;
}
