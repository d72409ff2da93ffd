/** Builds schedules from requests and templates, and adds them to sites. */
import { MAX_SCHEDULES, type Timing } from '../../../shared/agent/plan.ts';
import type { Input } from '../../../shared/api/operation.ts';
import type { Site } from '../../../shared/api/records.ts';
import type { DeclaredSchedule, schedules } from '../../../shared/api/schedules.ts';
import { isSame } from '../../../shared/api/template-settings.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { given } from '../../../shared/given.ts';
import { nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { faultOfCron, nextRun } from '../../../shared/schedule-turns.ts';
import { commandOf } from '../../commands/schedule-command.ts';
import { invalid } from '../../http/errors.ts';
import type { Stores } from '../../stores.ts';
import type { ScheduleSettings, StoredSchedule } from './schedule-store.ts';

const DEFAULT_JITTER_S = 60;
const DEFAULT_START_WITHIN_S = 600;

/** @throws {ServiceError} `validation_failed` for arguments that the tool does not have, and for impossible times */
export function newSchedule(wanted: DeclaredSchedule, createdBy: string, now: Date): ScheduleSettings {
  const { name, agent = null, enabled = true, startWithinSeconds = DEFAULT_START_WITHIN_S } = wanted;
  const request = commandOf(wanted.tool, wanted.arguments);
  const timing = timingAfter({ from: now.getTime(), jitterSeconds: DEFAULT_JITTER_S }, wanted);
  const createdAt = now.toISOString();
  return { name, request, timing, formerTiming: null, startWithinSeconds, agent, enabled, createdAt, createdBy };
}

/** @throws {ServiceError} `validation_failed` or `conflict` when the site cannot have it */
export async function addScheduleAt(
  context: Pick<Stores, 'sites' | 'schedules'> & { now(): Date },
  site: Site,
  id: string,
  settings: ScheduleSettings,
): Promise<StoredSchedule> {
  await requireRunnable(context, site, settings);
  await requireAtMost(context, site.id, MAX_SCHEDULES - 1);
  await context.schedules.add(site.id, id, settings);
  // Again, because others may be added at the same time: the last one to add sees all that stay.
  await requireAtMost(context, site.id, MAX_SCHEDULES).catch(async (error: unknown) => {
    await context.schedules.remove(site.id, id);
    throw error;
  });
  return { ...settings, id, last: null };
}

/** @throws {ServiceError} `validation_failed` for times without any run, and for an agent that the site does not have */
export async function requireRunnable(
  context: Pick<Stores, 'sites'> & { now(): Date },
  site: Site,
  { timing, agent }: Pick<ScheduleSettings, 'timing' | 'agent'>,
): Promise<void> {
  requireTurn(timing, site, context.now());
  await requireAgent(context, site.id, agent);
}

type Wanted = Omit<Input<(typeof schedules)['changeSchedule']>, 'schedule'>;

/** @throws {ServiceError} `validation_failed` for an invalid cron expression */
function timingAfter(before: Timing, wanted: Omit<Wanted, 'name'>): Timing {
  const fault = wanted.cron === undefined ? null : faultOfCron(wanted.cron);
  if (fault !== null) throw invalid('cron', fault);
  const isOther = wanted.cron !== undefined || wanted.everySeconds !== undefined;
  const { everySeconds, cron } = isOther ? wanted : before;
  const window = wanted.window === undefined ? before.window : (wanted.window ?? undefined);
  const until = wanted.until === undefined ? before.until : wanted.until ? Date.parse(wanted.until) : undefined;
  return {
    ...given({ everySeconds, cron, window, until }),
    ...{ from: before.from, jitterSeconds: wanted.jitterSeconds ?? before.jitterSeconds },
  };
}

/** Runs that were missed before a new timing, or while the schedule was disabled, are not reported. */
export function changedSchedule(before: StoredSchedule, wanted: Wanted, site: Site, now: Date): ScheduleSettings {
  const { id: _id, last: _last, ...settings } = before;
  const enabled = wanted.enabled ?? before.enabled;
  const timing = timingAfter(before.timing, wanted);
  const isOther = JSON.stringify(timing) !== JSON.stringify(before.timing);
  if (isOther) requireTurn(timing, site, now);
  const restarts = isOther || (enabled && !before.enabled);
  return {
    ...settings,
    name: wanted.name ?? before.name,
    timing: restarts ? { ...timing, from: now.getTime() } : timing,
    formerTiming: isOther ? before.timing : before.formerTiming,
    startWithinSeconds: wanted.startWithinSeconds ?? before.startWithinSeconds,
    agent: wanted.agent === undefined ? before.agent : wanted.agent,
    enabled,
  };
}

/** Rejects times without any run. */
function requireTurn(timing: Timing, { timeZone }: Site, now: Date): void {
  if (nextRun({ timing, timeZone }, now.getTime()) !== null) return;
  const path = timing.until === undefined ? 'window' : 'until';
  throw invalid(path, 'there would be no turn at all');
}

export async function requireAgent({ sites }: Pick<Stores, 'sites'>, site: SiteId, name: string | null): Promise<void> {
  if (name === null) return;
  const known = (await sites.agents(site)).map(({ id }) => nameOfAgent(id));
  if (known.includes(name)) return;
  throw invalid('agent', `expected an agent of site "${site}": it has ${known.slice(0, 20).join(', ') || 'none'}`);
}

async function requireAtMost({ schedules }: Pick<Stores, 'schedules'>, site: SiteId, most: number): Promise<void> {
  const { schedules: found, unreadable } = await schedules.list(site);
  if (found.length + unreadable.length <= most) return;
  throw new ServiceError('conflict', `A site may have ${MAX_SCHEDULES} schedules: remove one first`);
}

/** Replaces a schedule; if it differs, runs that were missed before are not reported. */
export function replacedSchedule(wanted: ScheduleSettings, before: ScheduleSettings): ScheduleSettings {
  const timing = { ...wanted.timing, from: before.timing.from };
  const keeps = isSame(timing, before.timing) && wanted.enabled === before.enabled;
  const { createdAt, createdBy, formerTiming } = before;
  const timings = keeps ? { timing, formerTiming } : { formerTiming: before.timing };
  return { ...wanted, createdAt, createdBy, ...timings };
}
