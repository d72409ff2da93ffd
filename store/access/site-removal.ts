/**
 * Removing a site with all that is in it. The row of the site says that its removal has begun, and stays until nothing
 * else is left: whoever finds it there can go on.
 *
 * Several processes may be at work on the same removal, and one that was stopped for a while may go on when another one has
 * ended it, and a site of the same id has been made since. So each removal has an id, which is in the row of the site as
 * long as it is under way, and whatever is deleted is deleted on the condition that it is.
 */
import { randomUUID } from 'node:crypto';
import type { Site } from '../../shared/api/records.ts';
import { type AgentId, AgentId as AgentIdSchema, type SiteId } from '../../shared/identity.ts';
import type { Condition } from '../condition.ts';
import {
  deliveryPartition,
  hookPartition,
  jobPartition,
  monitoringPartition,
  PARTITIONS,
  PREFIXES,
  resultPartition,
  rows,
  seriesPartition,
  sitePartition,
} from '../rows.ts';
import type { Item, Table } from '../table.ts';
import { decodeSite, isBeingRemoved } from './site-row.ts';

/** The row of a site, as it was read: not that of a later site of the same id. */
export interface SiteRow {
  site: SiteId;
  d: string;
  /** Id of the removal that is under way; null when there is none. */
  removal: string | null;
}

/** A removal that has begun. */
export interface Removal {
  site: SiteId;
  id: string;
}

export interface SiteRemovals {
  /** The site, also when its removal has begun; null when there is none. */
  find(site: SiteId): Promise<{ site: Site; row: SiteRow } | null>;
  /** Sites whose removal has begun and has come to no end; not those that are being restored. */
  unfinished(): Promise<SiteRow[]>;
  /**
   * From now on the site counts as absent. Goes on with a removal that has begun.
   * @returns `gone` when the site has been removed since the row was read; `changed` when it has other settings since, or
   *   is another site
   */
  begin(row: SiteRow): Promise<Removal | 'gone' | 'changed'>;
  /** Whether it has come to no end. */
  isUnderWay(removal: Removal): Promise<boolean>;
  /** The agents of the site of which there is a row, also those that are revoked or cannot be read. */
  agents(site: SiteId): Promise<AgentId[]>;
  /**
   * Deletes hooks, devices with their ports, journal, agents, and jobs with their results. Deletes nothing when the removal has come to its
   * end elsewhere.
   * @param isTime whether to stop, asked again and again; what is left then is for another call
   * @returns whether nothing is left
   */
  sweep(removal: Removal, isTime: () => boolean): Promise<boolean>;
  /** Ends the removal: a site of the same id can be made again. */
  end(removal: Removal): Promise<void>;
}

/** How the id of a removal begins that is one for the time of a restore only; the time at which it was begun follows. */
export const RESTORE_PREFIX = 'restore-';
/** A restore that was begun longer ago has come to no end. */
const RESTORE_WITHIN_MS = 6 * 3_600_000;

/** Rows that are deleted at once, of at most 131 KB each: a transaction may be about 4 MB. */
const ROUND_ROWS = 25;

export function openSiteRemovals(table: Table): SiteRemovals {
  return {
    async find(site) {
      const item = await table.get(rows.site(site), { consistent: true });
      return item === null ? null : { site: decodeSite(item), row: rowOf(item) };
    },

    async unfinished() {
      const found: SiteRow[] = [];
      for await (const page of table.query(PARTITIONS.siteList, PREFIXES.site, { consistent: true })) {
        found.push(...page.filter(isBeingRemoved).map(rowOf));
      }
      return found.filter(({ removal }) => !isRestoring(removal ?? ''));
    },

    async begin({ site, d, removal }) {
      if (removal !== null) return { site, id: removal };
      const id = randomUUID();
      const change = { set: { removing: id }, remove: ['staleSince', 'coverage'] };
      const hasBegun = await table.update(rows.site(site), change, { equals: { d, removing: null } });
      if (hasBegun) return { site, id };
      const item = await table.get(rows.site(site), { consistent: true });
      if (item === null) return 'gone';
      // Begun by somebody else at the same time, or by a request whose answer was lost.
      const now = rowOf(item);
      return now.d === d && now.removal !== null ? { site, id: now.removal } : 'changed';
    },

    async isUnderWay({ site, id }) {
      const item = await table.get(rows.site(site), { consistent: true });
      return item !== null && rowOf(item).removal === id;
    },

    async agents(site) {
      const found: AgentId[] = [];
      for await (const page of table.query(sitePartition(site), PREFIXES.agent, { consistent: true })) {
        found.push(...page.map(({ sk }) => sk.slice(PREFIXES.agent.length)));
      }
      return found.filter((id) => AgentIdSchema.safeParse(id).success);
    },

    async sweep(removal, isTime) {
      const { site } = removal;
      const kept = rows.collection(site).sk;
      const check = { check: rows.site(site), condition: underWay(removal) };
      // Hooks first: without them, nobody is told of what is removed.
      const partitions = [
        hookPartition,
        deliveryPartition,
        monitoringPartition,
        seriesPartition,
        sitePartition,
        jobPartition,
        resultPartition,
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

    async end(removal) {
      await table.remove(rows.site(removal.site), underWay(removal));
    },
  };
}

function rowOf({ sk, d = '', removing }: Item): SiteRow {
  return {
    site: sk.slice(PREFIXES.site.length),
    d: String(d),
    removal: removing === undefined ? null : String(removing),
  };
}

function isRestoring(removal: string): boolean {
  if (!removal.startsWith(RESTORE_PREFIX)) return false;
  return Date.now() - Number.parseInt(removal.slice(RESTORE_PREFIX.length), 10) < RESTORE_WITHIN_MS;
}

/** The condition of the row of a site that this removal of it is under way. */
export function underWay({ id }: Removal): Condition {
  return { equals: { removing: id } };
}
