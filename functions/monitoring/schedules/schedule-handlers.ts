/** `/schedules`. */
import { randomBytes } from 'node:crypto';
import type { AuditEntry, Site } from '../../../shared/api/records.ts';
import type { schedules as operations, Schedule } from '../../../shared/api/schedules.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { nextStart } from '../../../shared/schedule-turns.ts';
import { timeOf } from '../../../shared/time.ts';
import { changesBetween } from '../../http/audit-log.ts';
import type { Handlers } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import { requireOwn } from '../../sites/origin.ts';
import { requireKnown } from '../../sites/sites.ts';
import type { SiteState } from '../outages/site-state.ts';
import { addScheduleAt, changedSchedule, newSchedule, requireAgent } from './make-schedule.ts';
import { type PlanPublisher, publishPlans } from './publish-plans.ts';
import type { StoredSchedule } from './schedule-store.ts';

type SchedulesContext = RequestContext<'siteStates'> & PlanPublisher;

export const schedulesHandlers: Handlers<typeof operations, SchedulesContext> = {
  async listSchedules(context, { site, reach }) {
    const known = await requireKnown(context, reach, site);
    const [{ schedules, unreadable }, state] = await Promise.all([
      context.schedules.list(site),
      stateOf(context, site),
    ]);
    return { success: true, schedules: schedules.map((one) => shown(context, known, state, one)), unreadable };
  },

  async addSchedule(context, call, wanted) {
    const site = await requireKnown(context, call.reach, call.site);
    const settings = newSchedule(wanted, call.token.id, context.now());
    const added = await addScheduleAt(context, site, randomBytes(6).toString('hex'), settings);
    await call.audit(auditDetail(added));
    await publishPlans(context, site.id);
    return { success: true, ...shown(context, site, null, added) };
  },

  async getSchedule(context, { site, reach }, { schedule: id }) {
    const known = await requireKnown(context, reach, site);
    const [found, state] = await Promise.all([context.schedules.find(site, id), stateOf(context, site)]);
    if (found === null) throw notFound(site, id);
    return { success: true, ...shown(context, known, state, found) };
  },

  async changeSchedule(context, call, { schedule: id, ...wanted }) {
    const site = await requireKnown(context, call.reach, call.site);
    await requireAgent(context, site.id, wanted.agent ?? null);
    let old = {};
    const changed = await context.schedules.change(site.id, id, (before) => {
      requireOwn(before);
      old = auditDetail(before);
      return changedSchedule(before, wanted, site, context.now());
    });
    if (changed === null) throw notFound(site.id, id);
    const detail = auditDetail(changed);
    await call.audit(detail, { changes: changesBetween(old, detail) });
    await publishPlans(context, site.id);
    return { success: true, ...shown(context, site, await stateOf(context, site.id), changed) };
  },

  async removeSchedule(context, call, { schedule: id }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    const found = await context.schedules.find(site, id);
    requireOwn(found);
    if (found === null || !(await context.schedules.remove(site, id))) throw notFound(site, id);
    await call.audit(auditDetail(found));
    await publishPlans(context, site);
    return { success: true };
  },
};

const notFound = (site: SiteId, id: string) =>
  new ServiceError('not_found', `The site "${site}" has no schedule ${id}`);

async function stateOf({ siteStates }: SchedulesContext, site: SiteId): Promise<SiteState> {
  return (await siteStates.read(site)).state;
}

function auditDetail({ id, name, request, timing, enabled }: StoredSchedule) {
  const { everySeconds, cron } = timing;
  const when = cron ?? `every ${everySeconds} s`;
  return { schedule: id, name, when, enabled, ...(request as AuditEntry['detail']) };
}

function shown(
  { now }: Pick<RequestContext, 'now'>,
  { id: site, timeZone }: Site,
  state: SiteState | null,
  { id, name, request, timing, startWithinSeconds, agent, enabled, createdAt, createdBy, origin, last }: StoredSchedule,
): Schedule {
  const nextAt = enabled ? nextStart({ timing, timeZone }, { schedule: id, site }, now().getTime()) : null;
  const missed = state?.missed[id];
  return {
    ...{ id, site, name, tool: request.tool, request, timeZone, startWithinSeconds, agent, enabled },
    ...{ createdAt, createdBy, jitterSeconds: timing.jitterSeconds, ...(origin === undefined ? {} : { origin }) },
    everySeconds: timing.everySeconds ?? null,
    cron: timing.cron ?? null,
    window: timing.window ?? null,
    until: timing.until === undefined ? null : timeOf(timing.until),
    nextAt: nextAt === null ? null : timeOf(nextAt),
    last: last === null ? null : { ...last, turn: timeOf(last.turn), endedAt: timeOf(last.endedAt) },
    missed: missed === undefined ? null : { count: missed.count, lastAt: timeOf(missed.lastAt) },
  };
}
