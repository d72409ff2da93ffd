/** Checks that the agents of a site run repeatedly. One row each, with the settings only. */
import type * as z from 'zod';
import { PlanItemId } from '../../../shared/agent/plan.ts';
import { Check } from '../../../shared/api/checks.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { EXISTS, IS_NEW, IS_NOT_DELETED } from '../../table/condition.ts';
import { listReadable } from '../../table/readable.ts';
import { monitoringPartition, PREFIXES, rows } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';

const CheckSettings = Check.pick({
  ...{ label: true, kind: true, device: true, host: true, port: true, url: true, status: true, text: true, name: true },
  ...{ record: true, server: true, expect: true, anchors: true, toSite: true },
  ...{ everySeconds: true, agents: true, enabled: true, createdAt: true, createdBy: true, origin: true },
});
export type CheckSettings = z.infer<typeof CheckSettings>;

export interface StoredCheck extends CheckSettings {
  id: PlanItemId;
}

export function openCheckStore(table: Table) {
  return {
    /** Ordered by id. An unreadable check is listed as such, and hides no other. */
    async list(site: SiteId) {
      const { readable, unreadable } = await listReadable(table, monitoringPartition(site), PREFIXES.check, decode);
      return { checks: readable, unreadable };
    },

    async find(site: SiteId, id: PlanItemId) {
      const item = await table.get(rows.check(site, id), { consistent: true });
      return item === null ? null : decode(item);
    },

    /** All (at most 99) or none. @throws {ServiceError} `conflict` when the site does not exist, or is deleted */
    async add(site: SiteId, checks: readonly StoredCheck[]) {
      const added = await table.transact([
        // Otherwise they could outlive the site, and belong to a later site of the same id.
        { check: rows.site(site), condition: IS_NOT_DELETED },
        ...checks.map((check) => {
          const d = encode(check);
          // `equals`: this call is repeated when its response is lost.
          return { put: { ...rows.check(site, check.id), d }, condition: { any: [IS_NEW, { equals: { d } }] } };
        }),
      ]);
      if (!added) throw new ServiceError('conflict', `Nothing could be added to the site "${site}"; try again`);
    },

    /** @returns null when there is no such check. @throws {ServiceError} `conflict` after a concurrent change */
    async change(site: SiteId, id: PlanItemId, plan: (before: StoredCheck) => StoredCheck) {
      const key = rows.check(site, id);
      const item = await table.get(key, { consistent: true });
      if (item === null) return null;
      const after = plan(decode(item));
      const d = encode(after);
      // Includes what it writes itself: this call is repeated when its response is lost.
      if (await table.update(key, { set: { d } }, { in: { d: [String(item.d), d] } })) return after;
      throw new ServiceError('conflict', `The check ${id} is being changed by another request; try again`);
    },

    async remove(site: SiteId, id: PlanItemId) {
      return table.remove(rows.check(site, id), EXISTS);
    },
  };
}

export type CheckStore = ReturnType<typeof openCheckStore>;

const encode = ({ id: _, ...settings }: StoredCheck): string => JSON.stringify(settings);

/** @throws when the item is no check */
function decode(item: Item): StoredCheck {
  return {
    ...CheckSettings.parse(JSON.parse(String(item.d))),
    id: PlanItemId.parse(item.sk.slice(PREFIXES.check.length)),
  };
}
