/** What the shards of a scan have found, and how it differs from the previous scan of the same network. */
import type { ScanDiff, ScannedHost } from '../../../shared/api/scans.ts';
import type { JobStore } from '../job-store.ts';
import type { StoredRun } from '../runs/run-store.ts';
import { type Host, hostsThatAnswered, isDone, jobOfShard, openPorts, scanOf, shardsIn } from '../runs/shards.ts';

/** Results read at a time. */
const AT_ONCE = 16;

/** The hosts of a scan, by shard, except those whose results are expired, or not stored yet. */
export async function hostsByShard(jobs: Pick<JobStore, 'find'>, run: StoredRun): Promise<Map<number, Host[]>> {
  const { mode } = scanOf(run);
  // Most shards of a large network have found no host.
  const wanted = shardsIn(run).flatMap(([, hosts], shard) => (hosts > 0 ? [shard] : []));
  const found = new Map<number, Host[]>();
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE).map(async (shard) => {
      const job = await jobs.find(jobOfShard(run, shard));
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

interface Compared {
  scan: StoredRun;
  hosts: ReadonlyMap<number, readonly Host[]>;
}

/** Compares only shards of which both scans have a result, and only the ports of hosts that neither timed out on. */
export function scanDiff(now: Compared, before: Compared): ScanDiff {
  const diff: ScanDiff = { against: before.scan.id, appeared: [], gone: [], opened: [], closed: [] };
  for (const [shard, state] of shardsIn(now.scan).entries()) {
    const theirs = shardsIn(before.scan)[shard];
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

/** The open ports that the other scan of the host did not find open. */
function portsBeyond({ address, ports }: Host, other: Host): ScanDiff['opened'] {
  const known = new Set(openPorts(other.ports).map(({ protocol, port }) => `${protocol}/${port}`));
  return openPorts(ports)
    .filter(({ protocol, port }) => !known.has(`${protocol}/${port}`))
    .map(({ port, protocol, service }) => ({ address, port, protocol, service }));
}
