/**
 * Results of runs that agents made by their plan, without a request: the result creates the job, after it was checked against
 * the schedule.
 * @promise Planned runs count only if they were planned at the agent's site: `test/api/schedules.test.ts`.
 */
import type { EndedJob } from '../../../shared/agent/messages.ts';
import { jobOfRun } from '../../../shared/agent/planned-job.ts';
import { headerOfResult } from '../../../shared/agent/wire.ts';
import { type AgentId, type JobId, siteOfAgent, siteOfJob } from '../../../shared/identity.ts';
import { nextRun } from '../../../shared/schedule-turns.ts';
import type { PlannedJob } from '../../commands/job-store.ts';
import type { Stores } from '../../stores.ts';
import type { StoredSchedule } from './schedule-store.ts';

interface AcceptedRun {
  job: PlannedJob;
  /** Records the end of the run with its schedule. Idempotent. */
  note(ended: EndedJob): Promise<void>;
}

/** A later time is invented, or from a wrong clock. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Identifies the run of a job that does not exist, before its result is unpacked. The agent is not trusted: a result has to
 * be of a schedule of its site, of one of its times, and only one for each.
 * @returns the reason when the result is rejected
 */
export async function acceptRun(
  { schedules, sites }: Pick<Stores, 'schedules' | 'sites'>,
  agent: AgentId,
  id: JobId,
  payload: Uint8Array,
  now: Date,
): Promise<AcceptedRun | string> {
  const site = siteOfAgent(agent);
  if (siteOfJob(id) !== site) return 'the job is of another site';
  const run = headerOfResult(payload)?.planned;
  if (run === undefined) return 'this agent was not given the job';
  const { id: schedule, turn } = run;
  if (id !== jobOfRun(site, schedule, turn)) return 'the job is not the one of the turn';
  if (turn > now.getTime() + CLOCK_TOLERANCE_MS) return 'the turn is in the future';
  if (turn < now.getTime() - 30 * 86_400_000) return 'the turn was too long ago'; // As long as jobs are kept.
  const [found, itsSite] = await Promise.all([schedules.findEver(site, schedule), sites.find(site)]);
  if (found === null || itsSite === null) return 'the site has no such schedule';
  if (!isTurn(found, itsSite.timeZone, turn)) return 'the schedule has no such turn';
  return {
    job: { id, agent, command: found.request, actor: `schedule:${schedule}`, createdAt: turn },
    async note({ state, reason, endedAt }) {
      await schedules.noteTurn(site, schedule, { turn, job: id, state, reason, endedAt });
    },
  };
}

/** Also by the previous timing: an agent that is cut off continues with that. */
function isTurn({ timing, formerTiming, createdAt }: StoredSchedule, timeZone: string, turn: number): boolean {
  const from = Date.parse(createdAt);
  return [timing, formerTiming].some(
    (one) => one !== null && nextRun({ timing: { ...one, from }, timeZone }, turn - 1) === turn,
  );
}
