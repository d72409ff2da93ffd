/**
 * Deletion of a site. The site's row and that of its collection, the only one that requests about devices read, are marked
 * as gone. Nothing else changes for as long as the site can be restored.
 *
 * Then all rows are removed, the site's own last. Two processes may do so at once, and a paused one may go on after the other
 * has finished and a site of the same id has been created. So every removal is conditional on the site still being the
 * deleted one.
 * @promise People can restore a site for seven days; a later one inherits nothing: `test/api/site-deletion.test.ts`,
 *   `test/site-restore.test.ts`.
 */
import { SITE_RESTORABLE_DAYS, type Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { orNull } from '../../shared/problem.ts';
import { DAY_MS } from '../../shared/time.ts';
import { type AuditEvent, auditRow } from '../http/audit-log.ts';
import { type Condition, IS_NOT_DELETED } from '../table/condition.ts';
import {
  hookPartition,
  jobPartition,
  monitoringPartition,
  PARTITIONS,
  PREFIXES,
  resultPartition,
  rows,
  runPartition,
  seriesPartition,
  sitePartition,
} from '../table/rows.ts';
import type { Item, Table } from '../table/table.ts';
import { decodeSite, encodeSite, isGone } from './site-row.ts';

export interface Deletion {
  site: SiteId;
  /** Unix, ms. */
  at: number;
  /** Id of the token. */
  by: string;
}

/** Rows per transaction, which may be about 4 MB: a row has at most 131 KB. */
const BATCH_ROWS = 25;

/** Until when a site can be restored (Unix, ms). */
export const restorableUntil = ({ at }: Deletion): number => at + SITE_RESTORABLE_DAYS * DAY_MS;

export function openSiteDeletions(table: Table, now: () => Date) {
  return {
    /** A site, and its deletion if it is deleted; null when there is none. */
    async find(site: SiteId) {
      const item = await table.get(rows.site(site), { consistent: true });
      return item && { site: decodeSite(item), deletion: deletionIn(item) };
    },

    /** All deletions, ordered by site. `site` is null where the row cannot be read. */
    async list() {
      const found: { site: Site | null; deletion: Deletion }[] = [];
      for await (const page of table.query(PARTITIONS.siteList, PREFIXES.site, { consistent: true })) {
        for (const item of page) {
          const deletion = deletionIn(item);
          if (deletion !== null) found.push({ site: orNull(() => decodeSite(item)), deletion });
        }
      }
      return found;
    },

    /** From now on the site counts as absent. @returns null when it does not exist, or is deleted already */
    async delete(site: SiteId, by: string) {
      const at = now().getTime();
      const isDone = await table.transact([
        { update: rows.site(site), by: { set: { gone: at, goneBy: by } }, condition: IS_NOT_DELETED },
        { update: rows.collection(site), by: { set: { gone: at } }, condition: IS_NOT_DELETED },
      ]);
      return isDone ? { site, at, by } : null;
    },

    /**
     * Reverts a deletion. The revision of the settings grows, because agents have those of the deletion.
     * @returns whether the site was still deleted, and none of its rows removed
     */
    async restore(site: Site, deletion: Deletion) {
      const { id } = site;
      const d = encodeSite({ ...site, revision: Math.max(now().getTime(), site.revision + 2) });
      // A separate write: the right to mark a site and its collection does not include attributes of devices.
      if (!(await table.update(rows.site(id), { set: { d } }, isOf(deletion)))) return false;
      return table.transact([
        { update: rows.site(id), by: { remove: ['gone', 'goneBy'] }, condition: isOf(deletion) },
        { update: rows.collection(id), by: { remove: ['gone'] }, condition: isOf(deletion) },
      ]);
    },

    /** Whether the site is still the deleted one. */
    async holds({ site, at }: Deletion) {
      return (await table.get(rows.site(site), { consistent: true }))?.gone === at;
    },

    /**
     * Removes hooks, devices with their ports, journal, agents, and jobs with their results, but nothing of a later site.
     * @param isTime whether to stop, checked repeatedly; another call continues
     * @returns whether nothing is left
     */
    async sweep(deletion: Deletion, isTime: () => boolean) {
      const { site } = deletion;
      const kept = rows.collection(site).sk;
      const check = { check: rows.site(site), condition: isOf(deletion) };
      const ofDevices = [hookPartition, monitoringPartition, seriesPartition, sitePartition];
      for (const partition of [...ofDevices, jobPartition, resultPartition, runPartition].map((of) => of(site))) {
        for await (const page of table.query(partition, null, { consistent: true })) {
          const keys = page.filter(({ sk }) => sk !== kept).map(({ pk, sk }) => ({ pk, sk }));
          // One after the other: concurrent transactions that check the same row would conflict.
          for (let at = 0; at < keys.length; at += BATCH_ROWS) {
            if (isTime()) return false;
            const batch = keys.slice(at, at + BATCH_ROWS).map((remove) => ({ remove }));
            if (!(await table.transact([check, ...batch]))) return true;
          }
        }
      }
      return true;
    },

    /** Removes the row of the site, so that its id becomes available, and records it. */
    async end(deletion: Deletion, entry: AuditEvent) {
      const remove = { remove: rows.site(deletion.site), condition: isOf(deletion) };
      await table.transact([remove, { put: auditRow(entry, now()) }]);
    },
  };
}

/** The condition of the two marked rows. */
const isOf = ({ at }: Deletion): Condition => ({ equals: { gone: at } });

function deletionIn(item: Item): Deletion | null {
  if (!isGone(item)) return null;
  return { site: item.sk.slice(PREFIXES.site.length), at: Number(item.gone), by: String(item.goneBy) };
}
