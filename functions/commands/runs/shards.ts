/** The shards of a scan: which is begun next, at which agent, and what the end of an attempt means. */
import { createHash } from 'node:crypto';
import { plannedJob } from '../../../shared/agent/planned-job.ts';
import type { Job } from '../../../shared/api/jobs.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { MAX_SHARD_ATTEMPTS, shardsOf } from '../../../shared/api/scans.ts';
import { type AgentId, type JobId, nameOfAgent, timeOfUuid } from '../../../shared/identity.ts';
import { formatRange, type IpRange, parseRange, range, rangesOverlap } from '../../../shared/network.ts';
import { Command, type ToolResult } from '../../../shared/tools/list.ts';
import type { NmapMode } from '../../../shared/tools/nmap.ts';
import { longestPrefix } from '../choose-agent.ts';
import type { RunProgress, Shard, StoredRun } from './run-store.ts';

export const isDone = ([, hosts]: Shard): boolean => hosts >= 0;
export const isFailed = ([failed, hosts]: Shard): boolean => hosts < 0 && failed >= MAX_SHARD_ATTEMPTS;
export const isOpen = (shard: Shard): boolean => !isDone(shard) && !isFailed(shard);

/** The scanned network, and how it is scanned. */
export function scanOf({ request }: Pick<StoredRun, 'request'>) {
  if (request.tool !== 'nmap') throw new TypeError(`a scan by ${request.tool}`);
  return request;
}

export const shardsIn = ({ progress }: Pick<StoredRun, 'progress'>): readonly Shard[] => progress.shards ?? [];

/** The job of its last attempt. Each attempt has a job of its own, so the id depends on the time of the attempt. */
export function jobOfShard(run: Pick<StoredRun, 'site' | 'id' | 'progress'>, at: number): JobId {
  const shard = shardsIn(run)[at];
  if (run.site === null || shard === undefined) throw new RangeError(`the run ${run.id} has no shard ${at}`);
  return plannedJob(run.site, timeOfUuid(run.id) + shard[2] * 1_000, `scan ${run.id} ${at}`);
}

/** @param afterMs since the start of the scan */
export function withAttempt([failed, hosts, before]: Shard, afterMs: number): Shard {
  return [failed, hosts, Math.max(before + 1, Math.floor(afterMs / 1_000))];
}

export function commandOfShard(run: Pick<StoredRun, 'request'>, at: number): Command {
  const scan = scanOf(run);
  return Command.parse({ ...scan, target: formatRange(shardsOf(range(scan.target), scan)[at]!) });
}

/**
 * The shard that is begun next: those with the fewest failures come first. Each agent has one at a time, so that it has
 * room for the scans that people wait for.
 * @param agents those that are connected
 * @param busy names of those that have a shard
 */
export function nextShard(
  run: Pick<StoredRun, 'id' | 'request'>,
  { shards = [], open }: Pick<RunProgress, 'shards' | 'open'>,
  agents: readonly Agent[],
  busy: ReadonlySet<string>,
): { at: number; agent: string } | null {
  if (agents.every(({ id }) => busy.has(nameOfAgent(id)))) return null;
  const scan = scanOf(run);
  const pieces = shardsOf(range(scan.target), scan);
  const waiting = [...shards.entries()]
    .filter(([at, shard]) => isOpen(shard) && !open.includes(at))
    .sort(([, [one]], [, [other]]) => one - other);
  for (const [at, [failed]] of waiting) {
    // Each attempt is made by another agent.
    const taker = ranked(agents, pieces[at]!, `${run.id} ${at}`)[failed % agents.length]!;
    const agent = nameOfAgent(taker.id);
    if (!busy.has(agent)) return { at, agent };
  }
  return null;
}

/** First the agents attached to the shard, then those attached to a part of it; equal ones in a random but fixed order. */
function ranked(agents: readonly Agent[], shard: IpRange, seed: string): Agent[] {
  return agents
    .map((agent) => ({ agent, nearness: nearness(agent, shard), turn: turnOf(agent.id, seed) }))
    .sort((a, b) => b.nearness - a.nearness || (a.turn < b.turn ? -1 : 1))
    .map(({ agent }) => agent);
}

function nearness({ networks }: Agent, shard: IpRange): number {
  if (longestPrefix(networks, shard) >= 0) return 2;
  const ranges = networks.map(parseRange).filter((one) => one !== null && one.prefix > shard.prefix);
  return ranges.some((one) => one !== null && rangesOverlap(one, shard)) ? 1 : 0;
}

const turnOf = (agent: AgentId, seed: string): string => createHash('sha256').update(`${seed} ${agent}`).digest('hex');

type EndedAttempt = Pick<Job, 'state' | 'reason' | 'message' | 'truncated' | 'result'>;

/** Whether the agent had no place for it: then the attempt does not count. */
export const hadNoPlace = ({ state, reason }: EndedAttempt): boolean => state === 'expired' || reason === 'agent_busy';

/** @returns the shard after an attempt, and why the attempt has failed */
export function afterAttempt([failed, , after]: Shard, job: EndedAttempt, mode: NmapMode): [Shard, string | null] {
  if (hadNoPlace(job)) return [[failed, -1, after], null];
  const { state, message, truncated } = job;
  // The schema of the tool has parsed it, which the compiler cannot know.
  const found = state === 'succeeded' ? (job.result as ToolResult<'nmap'> | null) : null;
  if (found !== null) return [[failed, hostsThatAnswered(found, mode).length, after], null];
  if (state !== 'succeeded') return [[failed + 1, -1, after], message ?? `The command ended as ${state}`];
  // Another attempt would have a result that is too long for a message, too.
  return [[truncated ? MAX_SHARD_ATTEMPTS : failed + 1, -1, after], 'A result was too long to be sent'];
}

export type Host = ToolResult<'nmap'>['hosts'][number];

/** The hosts that have replied: without host discovery, nmap lists every address as up. */
export function hostsThatAnswered({ hosts }: ToolResult<'nmap'>, mode: NmapMode): Host[] {
  return hosts.filter(
    ({ state, mac, ports }) =>
      state === 'up' && (mode !== 'skipdiscovery' || mac !== null || openPorts(ports).length > 0),
  );
}

export const openPorts = (ports: Host['ports']) => ports.filter(({ state }) => state === 'open');
