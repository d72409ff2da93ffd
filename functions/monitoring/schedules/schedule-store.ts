/**
 * Schedules: commands that the agents of a site run repeatedly. One row each, with the settings and the last run. A removed
 * schedule stays for a while, so that late results are still accepted.
 */
import * as z from 'zod';
import { JobState, Reason } from '../../../shared/agent/messages.ts';
import { PlanItemId, Timing } from '../../../shared/agent/plan.ts';
import type { Unreadable } from '../../../shared/api/operation.ts';
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

export interface ScheduleStore {
  /** Ordered by id. An unreadable schedule is listed as such, and hides no other. */
  list(site: SiteId): Promise<{ schedules: StoredSchedule[]; unreadable: Unreadable[] }>;
  find(site: SiteId, id: PlanItemId): Promise<StoredSchedule | null>;
  /** Includes schedules that were removed within 30 days. */
  findEver(site: SiteId, id: PlanItemId): Promise<StoredSchedule | null>;
  add(site: SiteId, id: PlanItemId, settings: ScheduleSettings): Promise<void>;
  /** @returns null when there is no such schedule. @throws {ServiceError} `conflict` after a concurrent change */
  change(
    site: SiteId,
    id: PlanItemId,
    plan: (before: StoredSchedule) => ScheduleSettings,
  ): Promise<StoredSchedule | null>;
  remove(site: SiteId, id: PlanItemId): Promise<boolean>;
  /** Records the end of a run, unless a later one is known. */
  noteTurn(site: SiteId, id: PlanItemId, last: LastTurn): Promise<void>;
}

export function openScheduleStore(table: Table, now: () => Date): ScheduleStore {
  async function read(site: SiteId, id: PlanItemId): Promise<Item | null> {
    const item = await table.get(rows.schedule(site, id), { consistent: true });
    return item === null || Number(item.ttl) * 1000 < now().getTime() ? null : item;
  }

  async function present(site: SiteId, id: PlanItemId): Promise<Item | null> {
    const item = await read(site, id);
    return item === null || isRemoved(item) ? null : item;
  }

  return {
    async list(site) {
      const presentIn = (item: Item) => (isRemoved(item) ? null : decode(item));
      const { readable, unreadable } = await listReadable(
        table,
        monitoringPartition(site),
        PREFIXES.schedule,
        presentIn,
      );
      return { schedules: readable, unreadable };
    },

    async find(site, id) {
      const item = await present(site, id);
      return item === null ? null : decode(item);
    },

    async findEver(site, id) {
      const item = await read(site, id);
      return item === null ? null : decode(item);
    },

    async add(site, id, settings) {
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

    async change(site, id, plan) {
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

    async remove(site, id) {
      const deletedAt = now().getTime();
      const ttl = Math.ceil(deletedAt / 1000) + 30 * 86_400;
      const isThere = { all: [EXISTS, { equals: { deletedAt: null } }] };
      return table.update(rows.schedule(site, id), { set: { deletedAt, ttl } }, isThere);
    },

    async noteTurn(site, id, last) {
      const { turn } = last;
      const isNewer = { any: [{ equals: { lastTurn: null } }, { less: { lastTurn: turn } }] };
      const set = { last: JSON.stringify(last), lastTurn: turn };
      await table.update(rows.schedule(site, id), { set }, { all: [EXISTS, isNewer] });
    },
  };
}

const isRemoved = ({ deletedAt }: Item): boolean => deletedAt !== undefined;

/** @throws when the item is no schedule */
function decode(item: Item): StoredSchedule {
  return {
    ...ScheduleSettings.parse(JSON.parse(String(item.d))),
    id: PlanItemId.parse(item.sk.slice(PREFIXES.schedule.length)),
    last: item.last === undefined ? null : LastTurn.parse(JSON.parse(String(item.last))),
  };
}
