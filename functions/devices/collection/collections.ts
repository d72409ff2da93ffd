/** The beginning and the end of the collection of a site. */
import { TOTALS_ORDER } from '../../../shared/device.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { backOff } from '../../table/back-off.ts';
import { IS_NEW } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import type { Table } from '../../table/table.ts';
import { collectionAfter, countsAt } from './collection-row.ts';

/** Tries to end a collection while others change it. */
const RETIRE_ATTEMPTS = 8;
/** The counts of an empty collection. */
const NO_DEVICES: readonly number[] = TOTALS_ORDER.map(() => 0);
/** What `gone` is, instead of the time of the deletion, once that cannot be taken back. */
const ENDED = 0;

export interface Collections {
  /** Creates the empty collection of a new site. @returns false when the site has one already */
  create(site: SiteId, now: Date): Promise<boolean>;
  /**
   * Ends the collection of a deleted site: from now on the deletion cannot be taken back, and no change that is under way can
   * be made. Its row stays for ever, so that the versions of a collection that is made again go on from there.
   * @param deletedAt when the site was deleted (Unix, ms)
   * @returns whether it has ended; false when the site is not the one that was deleted then, or is not deleted any more
   */
  retire(site: SiteId, deletedAt: number): Promise<boolean>;
}

export function openCollections(table: Table, now: () => Date): Collections {
  return {
    async create(site, at) {
      // Versions start at the time of creation, so that a site that is created anew repeats none that a client has
      // cached.
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
        // Nobody ever has this version, or an entry of the journal that leads to it: not even a writer that has committed
        // the next one and not carried it out yet. Whoever is behind it has to load the collection again.
        const ver = Math.max(now().getTime(), seen + 2);
        // `born` and `counts` are of the collection that a later site of this id begins with.
        const ended = {
          ver,
          verAt: now().getTime(),
          gone: ENDED,
          born: ver + 1,
          counts: countsAt(ver + 1, NO_DEVICES),
        };
        const isRetired = await table.update(
          rows.collection(site),
          { set: ended, remove: ['staleSince', 'coverage'] },
          { equals: { ver: seen, gone: deletedAt } },
        );
        if (isRetired) return true;
        if (attempt === RETIRE_ATTEMPTS) {
          throw new ServiceError('conflict', `The devices of site "${site}" keep changing; try again`, {
            retryAfter: 1,
          });
        }
        await backOff(attempt);
      }
    },
  };
}
