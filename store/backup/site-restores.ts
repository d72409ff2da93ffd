/**
 * Putting a site back as it was in a backup. As long as that is under way, the row of the site says that it is being
 * removed: so nobody sees a part of it, nobody else can make a site of its id, and when it comes to no end, the rows that
 * were put are removed like those of any site (`store/access/site-removal.ts`).
 */
import { randomUUID } from 'node:crypto';
import { DISCOVERY_OFF, USUAL_UPDATES } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { RESTORE_PREFIX, type Removal, underWay } from '../access/site-removal.ts';
import { encodeSite, isBeingRemoved } from '../access/site-row.ts';
import { IS_NEW, unchanged } from '../condition.ts';
import { rows } from '../rows.ts';
import { type Item, inGroups, type Table } from '../table.ts';

/** Rows that are put at once, of a few hundred KB each at most. */
const ROUND_ROWS = 25;

export interface SiteRestores {
  /**
   * From now on the site counts as absent. One that is being removed already is taken over.
   * @returns `exists` when there is such a site, unless it is to be replaced
   */
  begin(site: SiteId, replace: boolean, now: Date): Promise<Removal | 'exists'>;
  /** @returns false when the restore has come to its end elsewhere */
  put(restore: Removal, items: readonly Item[]): Promise<boolean>;
  /** Shows all of it at once. @param siteRow with the key of its site, as `collection` @returns whether it was under way */
  end(restore: Removal, siteRow: Item, collection: Item): Promise<boolean>;
}

export function openSiteRestores(table: Pick<Table, 'get' | 'put' | 'update' | 'transact'>): SiteRestores {
  return {
    async begin(site, replace, now) {
      const id = `${RESTORE_PREFIX}${now.getTime()}-${randomUUID()}`;
      const key = rows.site(site);
      const item = await table.get(key, { consistent: true });
      if (item !== null && !isBeingRemoved(item) && !replace) return 'exists';
      const isBegun =
        item === null
          ? await table.put({ ...key, d: encodeSite(nameless(site, now)), removing: id }, IS_NEW)
          : await table.update(
              key,
              { set: { removing: id }, remove: ['staleSince', 'coverage'] },
              unchanged(['d', 'removing'], item),
            );
      return isBegun ? { site, id } : 'exists';
    },

    async put(restore, items) {
      const check = { check: rows.site(restore.site), condition: underWay(restore) };
      for (const round of inGroups(items, ROUND_ROWS)) {
        if (!(await table.transact([check, ...round.map((put) => ({ put }))]))) return false;
      }
      return true;
    },

    end(restore, siteRow, collection) {
      return table.transact([{ put: siteRow, condition: underWay(restore) }, { put: collection }]);
    },
  };
}

/** What stands in the row of a site that is not there yet. */
const nameless = (id: SiteId, now: Date) => ({
  id,
  name: id,
  tags: [],
  createdAt: now.toISOString(),
  discovery: DISCOVERY_OFF,
  timeZone: 'UTC',
  reachableAt: null,
  updates: USUAL_UPDATES,
  revision: now.getTime(),
});
