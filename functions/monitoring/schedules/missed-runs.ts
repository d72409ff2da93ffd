/** Records events of runs of schedules that agents have missed. */
import type { Change } from '../../../shared/agent/measurements.ts';
import { jobOfRun } from '../../../shared/agent/planned-job.ts';
import type { JobId, SiteId } from '../../../shared/identity.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import { nextRun } from '../../../shared/schedule-turns.ts';
import { timeOf } from '../../../shared/time.ts';
import type { Stores } from '../../stores.ts';
import { type Observed, unchanged } from '../outages/observe.ts';
import type { SiteState } from '../outages/site-state.ts';
import { CLOCK_TOLERANCE_MS } from './planned-results.ts';

type Missed = Extract<Change, { t: 'missed' }>;

/** Runs that are looked up at most, whether another agent has made them. */
const MAX_LOOKED_UP = 1_000;

/** The runs that an agent has missed, less those that another agent has made. */
export async function takeMissed(
  state: SiteState,
  { schedule: id, count, first, last, why }: Missed,
  { stores, site, now }: { stores: Pick<Stores, 'schedules' | 'sites' | 'jobs'>; site: SiteId; now: Date },
): Promise<Observed> {
  const before = state.missed[id];
  const isAgain = before !== undefined && last <= before.lastAt;
  if (isAgain || first > last || last > now.getTime() + CLOCK_TOLERANCE_MS) return unchanged(state);
  const [{ schedules }, itsSite] = await Promise.all([stores.schedules.list(site), stores.sites.find(site)]);
  const schedule = schedules.find((one) => one.id === id);
  if (schedule === undefined || itsSite === null) return unchanged(state);
  const turns = { timing: { ...schedule.timing, from: first }, timeZone: itsSite.timeZone };
  const jobs: JobId[] = [];
  let turn = nextRun(turns, first - 1);
  while (turn !== null && turn <= last && jobs.length < Math.min(count, MAX_LOOKED_UP)) {
    jobs.push(jobOfRun(site, id, turn));
    turn = nextRun(turns, turn);
  }
  const missed = count - (await stores.jobs.among(jobs)).size;
  if (missed <= 0) return unchanged(state);
  const present = new Set(schedules.map((one) => one.id));
  const others = Object.entries(state.missed).filter(([one]) => present.has(one));
  const counted = { count: (before?.count ?? 0) + missed, lastAt: last };
  const detail = { count: missed, first: timeOf(first), last: timeOf(last), why: reasonSentence({ code: why }) };
  const subject = { kind: 'schedule' as const, id, name: schedule.name };
  return {
    state: { ...state, missed: { ...Object.fromEntries(others), [id]: counted } },
    occurrences: [{ type: 'turn-missed', at: Math.floor(last / 1000), subject, detail, reasonCode: { code: why } }],
  };
}
