/**
 * Results of commands that nobody has sent: an agent has run them by its plan, and the result is what makes the job known.
 * What it says is checked against what was planned.
 * @promise Planned runs count only if they were planned at the agent's site: `test/api/schedules.test.ts`.
 */
import type { EndedJob } from '../../../shared/agent/messages.ts';
import type { PlannedRun } from '../../../shared/agent/plan.ts';
import { jobOfShard, jobOfTurn } from '../../../shared/agent/planned-job.ts';
import { headerOfResult } from '../../../shared/agent/wire.ts';
import { shardsOf } from '../../../shared/api/scans.ts';
import { type AgentId, type JobId, siteOfAgent, siteOfJob } from '../../../shared/identity.ts';
import { formatRange, range } from '../../../shared/network.ts';
import { nextTurn } from '../../../shared/schedule-turns.ts';
import type { CommandJson, ToolResult } from '../../../shared/tools/list.ts';
import type { NmapMode } from '../../../shared/tools/nmap.ts';
import type { PlannedJob } from '../../commands/job-store.ts';
import { noteShard, passesOf } from '../../commands/scans/scan-progress.ts';
import { hostsThatAnswered } from '../../commands/scans/scan-results.ts';
import type { Stores } from '../../stores.ts';
import type { StoredSchedule } from './schedule-store.ts';

type RunStores = Pick<Stores, 'schedules' | 'scans' | 'sites'>;

/** A result that is as planned. */
interface AcceptedRun {
  job: PlannedJob;
  /**
   * Notes how it ended, where it was planned. Once more changes nothing.
   * @returns whether the agents of the site have other plans by that
   */
  note(ended: EndedJob): Promise<boolean>;
}

/** A result from the future was made up, or by a clock that is wrong. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** As long as jobs are kept. */
const OLDEST_MS = 30 * 86_400_000;

/**
 * What the result of a job that does not exist is about, before it is unpacked. The agent is not trusted: it can only tell of
 * what its site has planned, once for each time of that, and with a result of the tool that was planned.
 * @returns why the result is refused, where it is
 */
export async function acceptRun(
  stores: RunStores,
  agent: AgentId,
  id: JobId,
  payload: Uint8Array,
  now: Date,
): Promise<AcceptedRun | string> {
  if (siteOfJob(id) !== siteOfAgent(agent)) return 'the job is of another site';
  const run = headerOfResult(payload)?.planned;
  if (run === undefined) return 'this agent was not given the job';
  return run.by === 'schedule' ? acceptTurn(stores, agent, id, run, now) : acceptShard(stores, agent, id, run);
}

async function acceptTurn(
  { schedules, sites }: RunStores,
  agent: AgentId,
  id: JobId,
  { id: schedule, turn }: Extract<PlannedRun, { by: 'schedule' }>,
  now: Date,
): Promise<AcceptedRun | string> {
  const site = siteOfAgent(agent);
  if (id !== jobOfTurn(site, schedule, turn)) return 'the job is not the one of the turn';
  if (turn > now.getTime() + CLOCK_TOLERANCE_MS) return 'the turn is in the future';
  if (turn < now.getTime() - OLDEST_MS) return 'the turn was too long ago';
  const [found, itsSite] = await Promise.all([schedules.findEver(site, schedule), sites.find(site)]);
  if (found === null || itsSite === null) return 'the site has no such schedule';
  if (!isTurn(found, itsSite.timeZone, turn)) return 'the schedule has no such turn';
  return {
    job: { id, agent, command: found.request, actor: `schedule:${schedule}`, createdAt: turn },
    async note({ state, reason, endedAt }) {
      await schedules.noteTurn(site, schedule, { turn, job: id, state, reason, endedAt });
      return false;
    },
  };
}

/** Also of a scan that was cancelled meanwhile: what was run is in the list of jobs, but the scan stays as it is. */
async function acceptShard(
  { scans }: RunStores,
  agent: AgentId,
  id: JobId,
  { id: scan, shard, attempt }: Extract<PlannedRun, { by: 'scan' }>,
): Promise<AcceptedRun | string> {
  const site = siteOfAgent(agent);
  const found = await scans.find(site, scan);
  if (found === null) return 'the site has no such scan';
  const { mode, protocol, startedAt } = found;
  const network = shardsOf(range(found.range), found)[shard];
  if (network === undefined) return 'the scan has no such shard';
  if (id !== jobOfShard(site, { id: scan, startedAt, shard, attempt })) return 'the job is not the one of the shard';
  const command: CommandJson = { tool: 'nmap', target: formatRange(network), mode, protocol };
  return {
    job: { id, agent, command, actor: `scan:${scan}`, createdAt: startedAt },
    async note(ended) {
      const end = shardEnd(ended, mode);
      const changed = await scans.change(site, scan, (before) => noteShard(before, { shard, attempt, ...end }));
      return changed !== null && passesOf(changed.after) > passesOf(changed.before);
    },
  };
}

/** One whose result was too long for a message has none the next time, either. */
function shardEnd({ state, message, truncated, result, endedAt }: EndedJob, mode: NmapMode) {
  const at = endedAt;
  // The schema of the tool has parsed it, which the compiler cannot know.
  const found = state === 'succeeded' ? (result as ToolResult<'nmap'> | null) : null;
  if (found !== null) return { hosts: hostsThatAnswered(found, mode).length, problem: null, isFinal: false, at };
  if (state === 'succeeded')
    return { hosts: null, problem: 'A result was too long to be sent', isFinal: truncated, at };
  return { hosts: null, problem: message ?? `The command ended as ${state}`, isFinal: false, at };
}

/** Also by the timing before, with which an agent goes on that has not heard of another one. */
function isTurn({ timing, formerTiming, createdAt }: StoredSchedule, timeZone: string, turn: number): boolean {
  const from = Date.parse(createdAt);
  return [timing, formerTiming].some(
    (one) => one !== null && nextTurn({ timing: { ...one, from }, timeZone }, turn - 1) === turn,
  );
}
