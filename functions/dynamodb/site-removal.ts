/**
 * Removing a site with all that is in it. The row of the site says that its removal has begun, and stays until nothing
 * else is left: whoever finds it there can go on.
 */
import type { Site } from '../../shared/api/records.ts';
import { type AgentId, AgentId as AgentIdSchema, type SiteId } from '../../shared/identity.ts';
import { jobPartition, PARTITIONS, PREFIXES, rows, sitePartition } from './rows.ts';
import { decodeSite, isBeingRemoved } from './site-row.ts';
import type { Table } from './table.ts';

export interface SiteRemovals {
  /** The site, also when its removal has begun; null when there is none. */
  find(site: SiteId): Promise<{ site: Site; hasBegun: boolean } | null>;
  /** Sites whose removal has begun and has come to no end. */
  unfinished(): Promise<SiteId[]>;
  /** From now on the site counts as absent. */
  begin(site: SiteId): Promise<void>;
  /** The agents of the site of which there is a row, also those that are revoked or cannot be read. */
  agents(site: SiteId): Promise<AgentId[]>;
  /**
   * Deletes devices with their ports, journal, agents and jobs.
   * @param isTime whether to stop, asked again and again; what is left then is for another call
   * @returns whether nothing is left
   */
  sweep(site: SiteId, isTime: () => boolean): Promise<boolean>;
  /** Ends the removal: a site of the same id can be made again. */
  end(site: SiteId): Promise<void>;
}

export function openSiteRemovals(table: Table, now: () => Date): SiteRemovals {
  return {
    async find(site) {
      const item = await table.get(rows.site(site), { consistent: true });
      return item === null ? null : { site: decodeSite(item), hasBegun: isBeingRemoved(item) };
    },

    async unfinished() {
      const found: SiteId[] = [];
      for await (const page of table.query(PARTITIONS.siteList, PREFIXES.site, { consistent: true })) {
        found.push(...page.filter(isBeingRemoved).map(({ sk }) => sk.slice(PREFIXES.site.length)));
      }
      return found;
    },

    async begin(site) {
      await table.update(rows.site(site), {
        setOnce: { removing: now().getTime() },
        remove: ['staleSince'],
        condition: 'attribute_exists(pk)',
      });
    },

    async agents(site) {
      const found: AgentId[] = [];
      for await (const page of table.query(sitePartition(site), PREFIXES.agent, { consistent: true })) {
        found.push(...page.map(({ sk }) => sk.slice(PREFIXES.agent.length)));
      }
      return found.filter((id) => AgentIdSchema.safeParse(id).success);
    },

    async sweep(site, isTime) {
      const kept = rows.collection(site).sk;
      for (const partition of [sitePartition(site), jobPartition(site)]) {
        for await (const page of table.query(partition, null, { consistent: true })) {
          const keys = page.filter(({ sk }) => sk !== kept).map(({ pk, sk }) => ({ pk, sk }));
          if (!(await table.removeAll(keys, isTime))) return false;
        }
      }
      return true;
    },

    async end(site) {
      await table.remove(rows.site(site), { condition: 'attribute_exists(#removing)' });
    },
  };
}
