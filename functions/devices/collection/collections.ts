/** Creation and end of a site's collection. */
import { TOTALS_ORDER } from '../../../shared/device.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { backOff } from '../../table/back-off.ts';
import { IS_NEW } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { Table } from '../../table/table.ts';
import { collectionAfter, countsAt } from './collection-row.ts';

/** Attempts to end a collection while others change it. */
const RETIRE_ATTEMPTS = 8;
const NO_DEVICES: readonly number[] = TOTALS_ORDER.map(() => 0);
/** Replaces the time of deletion in `gone`, once the deletion cannot be undone. */
const ENDED = 0;

export interface Collections {
  /** Creates the empty collection of a new site. @returns false when the site has one */
  create(site: SiteId, now: Date): Promise<boolean>;
  /**
   * Ends the collection of a deleted site: the deletion can no longer be undone, and changes in flight fail. The row stays
   * for ever, so that the versions of a later collection of the same id continue from there.
   * @param deletedAt Unix, ms
   * @returns whether it has ended; false when the site was not deleted at that time, or has been restored
   */
  retire(site: SiteId, deletedAt: number): Promise<boolean>;
}

export function openCollections(table: Table, now: () => Date): Collections {
  return {
    async create(site, at) {
      // Versions start at the creation time, so that a re-created site repeats none that a client has cached.
      const ver = at.getTime();
      // An update instead of a put, because the role that adds sites must not be able to overwrite a whole item.
      const empty = { ...collectionAfter({ version: ver, counts: NO_DEVICES }, at), born: ver };
      if (await table.update(rows.collection(site), { set: empty }, IS_NEW)) return true;
      return table.update(
        rows.collection(site),
        { set: { verAt: at.getTime() }, add: { ver: 1 }, remove: ['gone'] }, // The version that `retire` has announced.
        { equals: { gone: ENDED } },
      );
    },

    async retire(site, deletedAt) {
      for (let attempt = 0; ; attempt++) {
        const item = await table.get(rows.collection(site), { consistent: true });
        if (item === null || item.gone === ENDED) return true;
        if (item.gone !== deletedAt) return false;
        const seen = Number(item.ver);
        // No writer can have this version, nor a journal entry that leads to it, not even one that has committed the next
        // version and not carried it out yet. Readers with an older version have to reload the collection.
        const ver = Math.max(now().getTime(), seen + 2);
        // `born` and `counts` are those of the next collection of this id.
        const counts = countsAt(ver + 1, NO_DEVICES);
        const ended = { ver, verAt: now().getTime(), gone: ENDED, born: ver + 1, counts };
        const isRetired = await table.update(
          rows.collection(site),
          { set: ended, remove: ['staleSince', 'coverage'] },
          { equals: { ver: seen, gone: deletedAt } },
        );
        if (isRetired) return true;
        if (attempt === RETIRE_ATTEMPTS) {
          const message = `The devices of site "${site}" keep changing; try again`;
          throw new ServiceError('conflict', message, { retryAfter: 1 });
        }
        await backOff(attempt);
      }
    },
  };
}
