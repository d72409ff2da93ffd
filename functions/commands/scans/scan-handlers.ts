/** `/scans`: scans of large networks, what they have found, and how they differ. */
import type { PlanItemId } from '../../../shared/agent/plan.ts';
import { MAX_AT_ONCE } from '../../../shared/api/batches.ts';
import {
  MAX_LISTED_SCANS,
  MAX_RUNNING_SCANS,
  type scans as operations,
  type Scan,
  type ScanDiff,
  type ScannedHost,
  SHORTEST_SCAN_PREFIX,
  scanRange,
  shardsOf,
} from '../../../shared/api/scans.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type SiteId, timeOfUuid } from '../../../shared/identity.ts';
import { formatRange } from '../../../shared/network.ts';
import type { Handlers } from '../../http/call.ts';
import { invalid } from '../../http/errors.ts';
import { requireKnown } from '../../sites/sites.ts';
import { noAgent } from '../choose-agent.ts';
import type { RunContext } from '../context.ts';
import type { StoredRun } from '../runs/run-store.ts';
import {
  type Host,
  hostsThatAnswered,
  isDone,
  isFailed,
  jobOfShard,
  openPorts,
  scanOf,
  shardsIn,
} from '../runs/shards.ts';

export const scansHandlers: Handlers<typeof operations, RunContext> = {
  async listScans(context, { site, reach }) {
    await requireKnown(context, reach, site);
    const { runs, unreadable } = await context.runs.list(site, undefined, MAX_LISTED_SCANS);
    return { success: true, scans: runs.map((run) => shown(site, run)), unreadable };
  },

  async startScan(context, call, { range: text, ...how }) {
    const { site, token, person, reach } = call;
    const { runs, runQueue, sites, now } = context;
    await requireKnown(context, reach, site);
    const range = scanRange(text);
    if (range === null) {
      const message = `expected an IPv4 network such as 10.20.0.0/16, with a prefix of ${SHORTEST_SCAN_PREFIX} or more`;
      throw invalid('body.range', message);
    }
    if (!(await sites.agents(site)).some(({ state }) => state === 'online')) throw noAgent(site);
    const target = formatRange(range);
    await requireRoom(context, site, target, null);
    const id = now().getTime().toString(16).padStart(12, '0');
    const total = shardsOf(range, how).length;
    await runs.create({
      ...{ id, site, sites: [site], agent: null, total, atOnce: MAX_AT_ONCE, maxFailures: null },
      request: { tool: 'nmap', target, ...how },
      ...{ actor: token.id, person: person?.id ?? null, sourceAddress: null },
    });
    // A second check, because others may be started at the same time: the last of them sees all that stay.
    await requireRoom(context, site, target, id).catch(async (error: unknown) => {
      await runs.remove(site, id);
      throw error;
    });
    await call.audit({ scan: id, range: target, mode: how.mode, protocol: how.protocol ?? 'tcp' });
    await runQueue.send({ run: id, site }, now());
    return { success: true, ...shown(site, await findScan(context, site, id)) };
  },

  async getScan(context, { site, reach }, { scan: id }) {
    const { runs, jobs } = context;
    await requireKnown(context, reach, site);
    const scan = await findScan(context, site, id);
    const hosts = await hostsByShard(jobs, scan);
    const before = stateOf(scan) === 'done' ? await scanBefore(runs, site, scan) : null;
    const diff = before && scanDiff({ scan, hosts }, { scan: before, hosts: await hostsByShard(jobs, before) });
    return { success: true, ...shown(site, scan), found: [...hosts.values()].flat().map(shownHost), diff };
  },

  async cancelScan(context, call, { scan: id }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    const scan = await findScan(context, site, id);
    if (stateOf(scan) !== 'running') return { success: true, ...shown(site, scan) };
    await context.runs.cancel(site, id);
    await context.runQueue.send({ run: id, site }, context.now());
    const { target: range, mode, protocol = 'tcp' } = scanOf(scan);
    await call.audit({ scan: id, range, mode, protocol });
    return { success: true, ...shown(site, await findScan(context, site, id)) };
  },
};

async function findScan({ runs }: RunContext, site: SiteId, id: PlanItemId): Promise<StoredRun> {
  const scan = await runs.find(site, id);
  if (scan === null) throw new ServiceError('not_found', `The site has no scan ${id}`);
  return scan;
}

/** @param own the scan that needs room, which may be stored already */
async function requireRoom({ runs }: RunContext, site: SiteId, range: string, own: PlanItemId | null): Promise<void> {
  let others = 0;
  for await (const scan of runs.running(site)) {
    if (scan.id === own || stateOf(scan) !== 'running') continue;
    others++;
    if (scanOf(scan).target === range)
      throw new ServiceError('conflict', `The network ${range} is being scanned already: see the scan ${scan.id}`);
  }
  if (others < MAX_RUNNING_SCANS) return;
  const message = `A site may have ${MAX_RUNNING_SCANS} scans at once: cancel one, or wait for its end`;
  throw new ServiceError('conflict', message);
}

/** The last scan of the same network, mode and protocol that was completed before this one began. */
async function scanBefore(runs: RunContext['runs'], site: SiteId, scan: StoredRun): Promise<StoredRun | null> {
  const { target, mode, protocol = 'tcp' } = scanOf(scan);
  for await (const one of runs.readable(site)) {
    const { target: range, mode: way, protocol: by = 'tcp' } = scanOf(one);
    const isAlike = range === target && way === mode && by === protocol;
    if (isAlike && one.id < scan.id && stateOf(one) === 'done') return one;
  }
  return null;
}

function stateOf(scan: StoredRun): Scan['state'] {
  const { reason, endedAt } = scan.progress;
  if (scan.cancelledAt !== null && (endedAt === null || reason === 'cancelled')) return 'cancelled';
  if (endedAt === null) return 'running';
  return shardsIn(scan).some(isDone) ? 'done' : 'failed';
}

function shown(site: SiteId, scan: StoredRun): Scan {
  const { id, actor, cancelledAt, progress } = scan;
  const { target, mode, protocol = 'tcp' } = scanOf(scan);
  const shards = shardsIn(scan);
  const state = stateOf(scan);
  const isLate = progress.reason === 'deadline_passed' && progress.endedAt !== null;
  const done = shards.filter(isDone).length;
  const failed = isLate ? shards.length - done : shards.filter(isFailed).length;
  const endedAt = state === 'cancelled' ? cancelledAt : progress.endedAt;
  return {
    ...{ id, site, range: target, mode, protocol, state },
    shards: { total: shards.length, done, failed },
    percent: Math.floor(((done + failed) / shards.length) * 100),
    hosts: shards.reduce((sum, [, hosts]) => sum + Math.max(0, hosts), 0),
    problem: progress.problem ?? (isLate ? 'It did not come to its end in a week' : null),
    createdAt: new Date(timeOfUuid(id)).toISOString(),
    createdBy: actor,
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}

/** Results of shards read at a time. */
const AT_ONCE = 16;

/** The hosts of a scan, by shard, except those whose results are expired, or not stored yet. */
async function hostsByShard(jobs: RunContext['jobs'], run: StoredRun): Promise<Map<number, Host[]>> {
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

function shownHost({ address, mac, names, ports }: Host): ScannedHost {
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
function scanDiff(now: Compared, before: Compared): ScanDiff {
  const diff: ScanDiff = { against: before.scan.id, appeared: [], gone: [], opened: [], closed: [] };
  for (const [shard, state] of shardsIn(now.scan).entries()) {
    const theirs = shardsIn(before.scan)[shard];
    if (theirs === undefined || !isDone(state) || !isDone(theirs)) continue;
    const [here, there] = [byAddress(now, shard), byAddress(before, shard)];
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

const byAddress = ({ hosts }: Compared, shard: number) =>
  new Map((hosts.get(shard) ?? []).map((host) => [host.address, host]));

/** The open ports that the other scan of the host did not find open. */
function portsBeyond({ address, ports }: Host, other: Host): ScanDiff['opened'] {
  const known = new Set(openPorts(other.ports).map(({ protocol, port }) => `${protocol}/${port}`));
  return openPorts(ports)
    .filter(({ protocol, port }) => !known.has(`${protocol}/${port}`))
    .map(({ port, protocol, service }) => ({ address, port, protocol, service }));
}
