/**
 * Schedules: commands that the agents of a site run repeatedly. One row each, with the settings and the last run. A removed
 * schedule stays for a while, so that late results are still accepted.
 */
import * as z from 'zod';
import { JobState, Reason } from '../../../shared/agent/messages.ts';
import { PlanItemId, Timing } from '../../../shared/agent/plan.ts';
import { Label, Origin, Time } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { AgentName, JobId, type SiteId } from '../../../shared/identity.ts';
import { Millis } from '../../../shared/time.ts';
import { StoredCommand } from '../../../shared/tools/list.ts';
import { EXISTS, IS_NEW, IS_NOT_DELETED } from '../../table/condition.ts';
import { listReadable } from '../../table/readable.ts';
import { monitoringPartition, PREFIXES, rows } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';

const ScheduleSettings = z.object({
  name: Label,
  /** Immutable, so that late results of any agent are of this command. */
  request: StoredCommand,
  timing: Timing,
  /** The previous timing: an agent that is cut off continues with it. */
  formerTiming: Timing.nullable(),
  startWithinSeconds: z.int(),
  agent: AgentName.nullable(),
  enabled: z.boolean(),
  createdAt: Time,
  createdBy: z.string(),
  origin: Origin,
});
export type ScheduleSettings = z.infer<typeof ScheduleSettings>;

/** A run whose result is known. Times in Unix, ms. */
const LastTurn = z.object({ turn: Millis, job: JobId, state: JobState, reason: Reason.nullable(), endedAt: Millis });
type LastTurn = z.infer<typeof LastTurn>;

export interface StoredSchedule extends ScheduleSettings {
  id: PlanItemId;
  last: LastTurn | null;
}

export function openScheduleStore(table: Table, now: () => Date) {
  async function read(site: SiteId, id: PlanItemId): Promise<Item | null> {
    const item = await table.get(rows.schedule(site, id), { consistent: true });
    return item === null || Number(item.ttl) * 1000 < now().getTime() ? null : item;
  }

  async function present(site: SiteId, id: PlanItemId): Promise<Item | null> {
    const item = await read(site, id);
    return item === null || isRemoved(item) ? null : item;
  }

  return {
    /** Ordered by id. An unreadable schedule is listed as such, and hides no other. */
    async list(site: SiteId) {
      const presentIn = (item: Item) => (isRemoved(item) ? null : decode(item));
      const { readable, unreadable } = await listReadable(
        table,
        monitoringPartition(site),
        PREFIXES.schedule,
        presentIn,
      );
      return { schedules: readable, unreadable };
    },

    async find(site: SiteId, id: PlanItemId) {
      const item = await present(site, id);
      return item === null ? null : decode(item);
    },

    /** Includes schedules that were removed within 30 days. */
    async findEver(site: SiteId, id: PlanItemId) {
      const item = await read(site, id);
      return item === null ? null : decode(item);
    },

    async add(site: SiteId, id: PlanItemId, settings: ScheduleSettings) {
      const d = JSON.stringify(settings);
      const added = await table.transact([
        // Otherwise it could outlive the site, and run at a later site of the same id.
        { check: rows.site(site), condition: IS_NOT_DELETED },
        // `equals`: this call is repeated when its response is lost. `present`: a template adds again what it had removed.
        {
          put: { ...rows.schedule(site, id), d },
          condition: { any: [IS_NEW, { equals: { d } }, { present: ['deletedAt'] }] },
        },
      ]);
      if (!added)
        throw new ServiceError('conflict', `The schedule could not be added to the site "${site}"; try again`);
    },

    /** @returns null when there is no such schedule. @throws {ServiceError} `conflict` after a concurrent change */
    async change(site: SiteId, id: PlanItemId, plan: (before: StoredSchedule) => ScheduleSettings) {
      const item = await present(site, id);
      if (item === null) return null;
      const before = decode(item);
      const settings = plan(before);
      const d = JSON.stringify(settings);
      // Includes what it writes itself: this call is repeated when its response is lost.
      const asRead = { all: [{ equals: { deletedAt: null } }, { in: { d: [String(item.d), d] } }] };
      const changed = await table.update(rows.schedule(site, id), { set: { d } }, asRead);
      if (!changed)
        throw new ServiceError('conflict', `The schedule ${id} is being changed by another request; try again`);
      return { ...before, ...settings };
    },

    async remove(site: SiteId, id: PlanItemId) {
      const deletedAt = now().getTime();
      const ttl = Math.ceil(deletedAt / 1000) + 30 * 86_400;
      const isThere = { all: [EXISTS, { equals: { deletedAt: null } }] };
      return table.update(rows.schedule(site, id), { set: { deletedAt, ttl } }, isThere);
    },

    /** Records the end of a run, unless a later one is known. */
    async noteTurn(site: SiteId, id: PlanItemId, last: LastTurn) {
      const { turn } = last;
      const isNewer = { any: [{ equals: { lastTurn: null } }, { less: { lastTurn: turn } }] };
      const set = { last: JSON.stringify(last), lastTurn: turn };
      await table.update(rows.schedule(site, id), { set }, { all: [EXISTS, isNewer] });
    },
  };
}

export type ScheduleStore = ReturnType<typeof openScheduleStore>;

const isRemoved = ({ deletedAt }: Item): boolean => deletedAt !== undefined;

/** @throws when the item is no schedule */
function decode(item: Item): StoredSchedule {
  return {
    ...ScheduleSettings.parse(JSON.parse(String(item.d))),
    id: PlanItemId.parse(item.sk.slice(PREFIXES.schedule.length)),
    last: item.last === undefined ? null : LastTurn.parse(JSON.parse(String(item.last))),
  };
}
