/** What the shards of a scan have found, and what is other than in the scan of the same network before it. */
import { jobOfShard } from '../../../shared/agent/planned-job.ts';
import type { ScanDiff, ScannedHost } from '../../../shared/api/scans.ts';
import type { SiteId } from '../../../shared/identity.ts';
import type { ToolResult } from '../../../shared/tools/list.ts';
import type { NmapMode } from '../../../shared/tools/nmap.ts';
import type { JobStore } from '../job-store.ts';
import { isDone } from './scan-progress.ts';
import type { StoredScan } from './scan-store.ts';

type Host = ToolResult<'nmap'>['hosts'][number];

/** Results that are read at once. */
const AT_ONCE = 16;

/** The hosts that have answered: without host discovery, every address counts as one that is up. */
export function hostsThatAnswered({ hosts }: ToolResult<'nmap'>, mode: NmapMode): Host[] {
  return hosts.filter(
    ({ state, mac, ports }) =>
      state === 'up' && (mode !== 'skipdiscovery' || mac !== null || openPorts(ports).length > 0),
  );
}

const openPorts = (ports: Host['ports']) => ports.filter(({ state }) => state === 'open');

/** The hosts of a scan, by shard. Those of a result that is gone, or not stored yet, are missing. */
export async function hostsByShard(
  jobs: Pick<JobStore, 'find'>,
  site: SiteId,
  { id, startedAt, mode, shards }: StoredScan,
): Promise<Map<number, Host[]>> {
  // Most shards of a large network have nobody to show.
  const wanted = shards.flatMap(({ failed, hosts }, shard) => (hosts ? [{ shard, attempt: failed + 1 }] : []));
  const found = new Map<number, Host[]>();
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE).map(async ({ shard, attempt }) => {
      const job = await jobs.find(jobOfShard(site, { id, startedAt, shard, attempt }));
      if (job?.tool === 'nmap' && job.result !== null) found.set(shard, hostsThatAnswered(job.result, mode));
    });
    await Promise.all(some);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

export function shownHost({ address, mac, names, ports }: Host): ScannedHost {
  return {
    ...{ address, mac, names },
    ports: openPorts(ports).map(({ port, protocol, service }) => ({ port, protocol, service })),
  };
}

/** One scan as it is compared. */
interface Compared {
  scan: Pick<StoredScan, 'id' | 'shards'>;
  hosts: ReadonlyMap<number, readonly Host[]>;
}

/** Only shards that both have a result of are compared, and only the ports of hosts that both have looked at to the end. */
export function scanDiff(now: Compared, before: Compared): ScanDiff {
  const diff: ScanDiff = { against: before.scan.id, appeared: [], gone: [], opened: [], closed: [] };
  for (const [shard, state] of now.scan.shards.entries()) {
    const theirs = before.scan.shards[shard];
    if (theirs === undefined || !isDone(state) || !isDone(theirs)) continue;
    const [here, there] = [now, before].map(({ hosts }) => byAddress(hosts.get(shard) ?? [])) as [ByAddress, ByAddress];
    for (const [address, host] of here) {
      const was = there.get(address);
      if (was === undefined) diff.appeared.push(address);
      else if (!host.timedOut && !was.timedOut) {
        diff.opened.push(...portsBeyond(host, was));
        diff.closed.push(...portsBeyond(was, host));
      }
    }
    diff.gone.push(...[...there.keys()].filter((address) => !here.has(address)));
  }
  return diff;
}

type ByAddress = Map<string, Host>;
const byAddress = (hosts: readonly Host[]): ByAddress => new Map(hosts.map((host) => [host.address, host]));

/** The open ports that another look at the host did not find so. */
function portsBeyond({ address, ports }: Host, other: Host): ScanDiff['opened'] {
  const known = new Set(openPorts(other.ports).map(({ protocol, port }) => `${protocol}/${port}`));
  return openPorts(ports)
    .filter(({ protocol, port }) => !known.has(`${protocol}/${port}`))
    .map(({ port, protocol, service }) => ({ address, port, protocol, service }));
}
