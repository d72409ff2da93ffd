/**
 * Results of commands that nobody has sent: an agent has run them by its plan, and the result is what makes the job known.
 * What it says is checked against what was planned.
 * @promise Planned runs count only if they were planned at the agent's site: `test/api/schedules.test.ts`.
 */
import type { EndedJob } from '../../../shared/agent/messages.ts';
import { jobOfTurn } from '../../../shared/agent/planned-job.ts';
import { headerOfResult } from '../../../shared/agent/wire.ts';
import { type AgentId, type JobId, siteOfAgent, siteOfJob } from '../../../shared/identity.ts';
import { nextTurn } from '../../../shared/schedule-turns.ts';
import type { PlannedJob } from '../../commands/job-store.ts';
import type { Stores } from '../../stores.ts';
import type { StoredSchedule } from './schedule-store.ts';

/** A result that is as planned. */
interface AcceptedRun {
  job: PlannedJob;
  /** Notes how it ended, where it was planned. Once more changes nothing. */
  note(ended: EndedJob): Promise<void>;
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
    },
  };
}

/** Also by the timing before, with which an agent goes on that has not heard of another one. */
function isTurn({ timing, formerTiming, createdAt }: StoredSchedule, timeZone: string, turn: number): boolean {
  const from = Date.parse(createdAt);
  return [timing, formerTiming].some(
    (one) => one !== null && nextTurn({ timing: { ...one, from }, timeZone }, turn - 1) === turn,
  );
}
