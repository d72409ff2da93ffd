/**
 * Deleting a site. Its row says since when it is gone, and so does the row of its collection, which is all that requests about
 * devices read. Nothing else changes for as long as the deletion can be taken back.
 *
 * After that all rows are removed, the site's own last. Two processes may do so at the same time, and one that was stopped
 * for a while may go on when the other has come to the end, and a site of the same id has been made since. So whatever is
 * removed is removed on the condition that the site is still the one that was deleted then.
 * @promise People can restore a site for seven days; a later one inherits nothing: `test/api/site-deletion.test.ts`,
 *   `test/site-restore.test.ts`.
 */
import { SITE_RESTORABLE_DAYS, type Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { type AuditEvent, auditRow } from '../http/audit-log.ts';
import { type Condition, EXISTS } from '../table/condition.ts';
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

interface SiteDeletions {
  /** The site, and its deletion if it is deleted; null when there is none. */
  find(site: SiteId): Promise<{ site: Site; deletion: Deletion | null } | null>;
  /** All of them, in the order of the ids. `site` is null where the row cannot be read. */
  list(): Promise<{ site: Site | null; deletion: Deletion }[]>;
  /** From now on the site counts as absent. @returns null when it is not there, or deleted already */
  delete(site: SiteId, by: string): Promise<Deletion | null>;
  /**
   * Takes a deletion back. The revision of the settings grows, because agents were told others.
   * @returns whether the site was still deleted, and none of its rows removed
   */
  restore(site: Site, deletion: Deletion): Promise<boolean>;
  /** Whether the site is still the one of the deletion, and deleted. */
  holds(deletion: Deletion): Promise<boolean>;
  /**
   * Removes hooks, devices with their ports, journal, agents, and jobs with their results. Removes nothing when the site is
   * another one.
   * @param isTime whether to stop, asked again and again; what is left then is for another call
   * @returns whether nothing is left
   */
  sweep(deletion: Deletion, isTime: () => boolean): Promise<boolean>;
  /** Removes the row of the site, so that another one of its id can be made, and records it. */
  end(deletion: Deletion, entry: AuditEvent): Promise<void>;
}

/** Rows that are removed at once, of at most 131 KB each: a transaction may be about 4 MB. */
const ROUND_ROWS = 25;

/** Until when a deletion can be taken back (Unix, ms). */
export const restorableUntil = ({ at }: Deletion): number => at + SITE_RESTORABLE_DAYS * 86_400_000;

export function openSiteDeletions(table: Table, now: () => Date): SiteDeletions {
  return {
    async find(site) {
      const item = await table.get(rows.site(site), { consistent: true });
      return item && { site: decodeSite(item), deletion: deletionIn(item) };
    },

    async list() {
      const found: { site: Site | null; deletion: Deletion }[] = [];
      for await (const page of table.query(PARTITIONS.siteList, PREFIXES.site, { consistent: true })) {
        for (const item of page) {
          const deletion = deletionIn(item);
          if (deletion !== null) found.push({ site: readable(item), deletion });
        }
      }
      return found;
    },

    async delete(site, by) {
      const at = now().getTime();
      const isThere: Condition = { all: [EXISTS, { equals: { gone: null } }] };
      const isDone = await table.transact([
        { update: rows.site(site), by: { set: { gone: at, goneBy: by } }, condition: isThere },
        { update: rows.collection(site), by: { set: { gone: at } }, condition: isThere },
      ]);
      return isDone ? { site, at, by } : null;
    },

    async restore(site, deletion) {
      const { id } = site;
      const d = encodeSite({ ...site, revision: Math.max(now().getTime(), site.revision + 2) });
      // Alone, because who may mark a site and its collection may not change what is in a device.
      if (!(await table.update(rows.site(id), { set: { d } }, isOf(deletion)))) return false;
      return table.transact([
        { update: rows.site(id), by: { remove: ['gone', 'goneBy'] }, condition: isOf(deletion) },
        { update: rows.collection(id), by: { remove: ['gone'] }, condition: isOf(deletion) },
      ]);
    },

    async holds({ site, at }) {
      return (await table.get(rows.site(site), { consistent: true }))?.gone === at;
    },

    async sweep(deletion, isTime) {
      const { site } = deletion;
      const kept = rows.collection(site).sk;
      const check = { check: rows.site(site), condition: isOf(deletion) };
      const partitions = [
        hookPartition,
        monitoringPartition,
        seriesPartition,
        sitePartition,
        jobPartition,
        resultPartition,
        runPartition,
      ];
      for (const partition of partitions.map((of) => of(site))) {
        for await (const page of table.query(partition, null, { consistent: true })) {
          const keys = page.filter(({ sk }) => sk !== kept).map(({ pk, sk }) => ({ pk, sk }));
          // One after the other: two transactions at the same time that check the same row would collide.
          for (let at = 0; at < keys.length; at += ROUND_ROWS) {
            if (isTime()) return false;
            const round = keys.slice(at, at + ROUND_ROWS).map((remove) => ({ remove }));
            if (!(await table.transact([check, ...round]))) return true;
          }
        }
      }
      return true;
    },

    async end(deletion, entry) {
      const remove = { remove: rows.site(deletion.site), condition: isOf(deletion) };
      await table.transact([remove, { put: auditRow(entry, now()) }]);
    },
  };
}

/** The condition of the two rows that say that the site is deleted. */
const isOf = ({ at }: Deletion): Condition => ({ equals: { gone: at } });

function deletionIn(item: Item): Deletion | null {
  if (!isGone(item)) return null;
  return { site: item.sk.slice(PREFIXES.site.length), at: Number(item.gone), by: String(item.goneBy) };
}

function readable(item: Item): Site | null {
  try {
    return decodeSite(item);
  } catch {
    return null;
  }
}
