/** `/schedules`. */
import { randomBytes } from 'node:crypto';
import { MAX_SCHEDULES, type Timing } from '../../shared/agent/plan.ts';
import type { AuditEntry, Site } from '../../shared/api/records.ts';
import type { schedules as operations, Schedule } from '../../shared/api/schedules.ts';
import { ServiceError } from '../../shared/errors.ts';
import { nameOfAgent, type SiteId } from '../../shared/identity.ts';
import { faultOfCron, nextBegin, nextTurn } from '../../shared/schedule-turns.ts';
import type { ScheduleSettings, StoredSchedule } from '../../store/monitoring/schedule-store.ts';
import type { SiteState } from '../../store/monitoring/site-state.ts';
import { requireKnown } from '../access/sites.ts';
import type { DevicesContext } from '../context/context.ts';
import type { Handlers } from '../http/call.ts';
import { validationError } from '../http/errors.ts';
import { atSites, sitesInQuery } from './many-sites.ts';
import { commandOf } from './schedule-command.ts';
import { tellPlans } from './tell-plans.ts';

const DEFAULT_JITTER_S = 60;
const DEFAULT_START_WITHIN_S = 600;

export const schedulesHandlers: Handlers<typeof operations, DevicesContext> = {
  async listSchedules(context, { site, reach }) {
    const known = await requireKnown(context, reach, site);
    const [{ schedules, unreadable }, state] = await Promise.all([
      context.schedules.list(site),
      stateOf(context, site),
    ]);
    return { success: true, schedules: schedules.map((one) => shown(context, known, state, one)), unreadable };
  },

  async addSchedule(context, call, wanted) {
    const { name, agent = null, enabled = true, startWithinSeconds = DEFAULT_START_WITHIN_S } = wanted;
    const request = commandOf(wanted.tool, wanted.arguments);
    const now = context.now();
    const timing = timingAfter({ from: now.getTime(), jitterSeconds: DEFAULT_JITTER_S }, wanted);
    const id = randomBytes(6).toString('hex');
    const settings: ScheduleSettings = {
      ...{ name, request, timing, formerTiming: null, startWithinSeconds, agent, enabled },
      ...{ createdAt: now.toISOString(), createdBy: call.token.id },
    };
    const { done, failed } = await atSites(context, call, wanted.sites, async (site) => {
      requireTurn(timing, site, now);
      await requireAgent(context, site.id, agent);
      await requireAtMost(context, site.id, MAX_SCHEDULES - 1);
      await context.schedules.add(site.id, id, settings);
      // Again, because others may be added at the same time: the last of them sees all that stay.
      await requireAtMost(context, site.id, MAX_SCHEDULES).catch(async (error: unknown) => {
        await context.schedules.remove(site.id, id);
        throw error;
      });
      const added = { ...settings, id, last: null };
      await call.audit(auditDetail(added), { site: site.id });
      await tellPlans(context, site.id);
      return shown(context, site, null, added);
    });
    return { success: true, schedules: done, failed };
  },

  async getSchedule(context, { site, reach }, { schedule: id }) {
    const known = await requireKnown(context, reach, site);
    const [found, state] = await Promise.all([context.schedules.find(site, id), stateOf(context, site)]);
    if (found === null) throw notFound(site, id);
    return { success: true, ...shown(context, known, state, found) };
  },

  async changeSchedule(context, call, { schedule: id, sites, ...wanted }) {
    const now = context.now();
    const { done, failed } = await atSites(context, call, sitesInQuery(sites), async (site) => {
      await requireAgent(context, site.id, wanted.agent ?? null);
      const changed = await context.schedules.change(site.id, id, (before) => after(before, wanted, site, now));
      if (changed === null) throw notFound(site.id, id);
      await call.audit(auditDetail(changed), { site: site.id });
      await tellPlans(context, site.id);
      return shown(context, site, await stateOf(context, site.id), changed);
    });
    return { success: true, schedules: done, failed };
  },

  async removeSchedule(context, call, { schedule: id, sites }) {
    const { done, failed } = await atSites(context, call, sitesInQuery(sites), async (site) => {
      const found = await context.schedules.find(site.id, id);
      if (found === null || !(await context.schedules.remove(site.id, id))) throw notFound(site.id, id);
      await call.audit(auditDetail(found), { site: site.id });
      await tellPlans(context, site.id);
      return site.id;
    });
    return { success: true, removed: done, failed };
  },
};

/** What a request may say of the timing. What is left out stays as it is. */
interface WantedTiming {
  everySeconds?: number | undefined;
  cron?: string | undefined;
  window?: Timing['window'] | null;
  jitterSeconds?: number | undefined;
  until?: string | null | undefined;
}

interface Wanted extends WantedTiming {
  name?: string | undefined;
  startWithinSeconds?: number | undefined;
  agent?: string | null | undefined;
  enabled?: boolean | undefined;
}

/** @throws {ServiceError} `validation_failed` for a cron expression that cannot be used */
function timingAfter(before: Timing, wanted: WantedTiming): Timing {
  const fault = wanted.cron === undefined ? null : faultOfCron(wanted.cron);
  if (fault !== null) throw validationError([{ path: 'cron', message: fault }]);
  const isOther = wanted.cron !== undefined || wanted.everySeconds !== undefined;
  const { everySeconds, cron } = isOther ? wanted : before;
  const window = wanted.window === undefined ? before.window : (wanted.window ?? undefined);
  const until =
    wanted.until === undefined ? before.until : wanted.until === null ? undefined : Date.parse(wanted.until);
  return {
    ...(everySeconds === undefined ? {} : { everySeconds }),
    ...(cron === undefined ? {} : { cron }),
    ...(window === undefined ? {} : { window }),
    ...(until === undefined ? {} : { until }),
    ...{ from: before.from, jitterSeconds: wanted.jitterSeconds ?? before.jitterSeconds },
  };
}

/** What was missed while it was disabled, or before it had these times, is not told. */
function after(before: StoredSchedule, wanted: Wanted, site: Site, now: Date): ScheduleSettings {
  const { id: _id, last: _last, ...settings } = before;
  const enabled = wanted.enabled ?? before.enabled;
  const timing = timingAfter(before.timing, wanted);
  const isOther = JSON.stringify(timing) !== JSON.stringify(before.timing);
  if (isOther) requireTurn(timing, site, now);
  const beginsAnew = isOther || (enabled && !before.enabled);
  return {
    ...settings,
    name: wanted.name ?? before.name,
    timing: beginsAnew ? { ...timing, from: now.getTime() } : timing,
    formerTiming: isOther ? before.timing : before.formerTiming,
    startWithinSeconds: wanted.startWithinSeconds ?? before.startWithinSeconds,
    agent: wanted.agent === undefined ? before.agent : wanted.agent,
    enabled,
  };
}

/** Refuses times of which there will be none. */
function requireTurn(timing: Timing, { timeZone }: Site, now: Date): void {
  if (nextTurn({ timing, timeZone }, now.getTime()) !== null) return;
  const path = timing.until === undefined ? 'window' : 'until';
  throw validationError([{ path, message: 'there would be no turn at all' }]);
}

async function requireAgent({ sites }: DevicesContext, site: SiteId, name: string | null): Promise<void> {
  if (name === null) return;
  const known = (await sites.agents(site)).map(({ id }) => nameOfAgent(id));
  if (known.includes(name)) return;
  const message = `expected an agent of site "${site}": it has ${known.slice(0, 20).join(', ') || 'none'}`;
  throw validationError([{ path: 'agent', message }]);
}

async function requireAtMost({ schedules }: DevicesContext, site: SiteId, most: number): Promise<void> {
  const { schedules: found, unreadable } = await schedules.list(site);
  if (found.length + unreadable.length <= most) return;
  throw new ServiceError('conflict', `A site may have ${MAX_SCHEDULES} schedules: remove one first`);
}

const notFound = (site: SiteId, id: string) =>
  new ServiceError('not_found', `The site "${site}" has no schedule ${id}`);

async function stateOf({ siteStates }: DevicesContext, site: SiteId): Promise<SiteState> {
  return (await siteStates.read(site)).state;
}

function auditDetail({ id, name, request, timing, enabled }: StoredSchedule) {
  const { everySeconds, cron } = timing;
  const when = cron ?? `every ${everySeconds} s`;
  return { schedule: id, name, when, enabled, ...(request as AuditEntry['detail']) };
}

function shown(
  { now }: Pick<DevicesContext, 'now'>,
  { id: site, timeZone }: Site,
  state: SiteState | null,
  { id, name, request, timing, startWithinSeconds, agent, enabled, createdAt, createdBy, last }: StoredSchedule,
): Schedule {
  const nextAt = enabled ? nextBegin({ timing, timeZone }, { schedule: id, site }, now().getTime()) : null;
  const missed = state?.missed[id];
  return {
    ...{ id, site, name, tool: request.tool, request, timeZone, startWithinSeconds, agent, enabled },
    ...{ createdAt, createdBy, jitterSeconds: timing.jitterSeconds },
    everySeconds: timing.everySeconds ?? null,
    cron: timing.cron ?? null,
    window: timing.window ?? null,
    until: timing.until === undefined ? null : timeOf(timing.until),
    nextAt: nextAt === null ? null : timeOf(nextAt),
    last: last === null ? null : { ...last, turn: timeOf(last.turn), endedAt: timeOf(last.endedAt) },
    missed: missed === undefined ? null : { count: missed.count, lastAt: timeOf(missed.lastAt) },
  };
}

const timeOf = (ms: number) => new Date(ms).toISOString();
