/** The row with the version of a collection, `#META` in the partition of its site: its creation, its content, its end. */
import { TOTALS_ORDER } from '../../../shared/device.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { isGone, staleSinceOf } from '../../sites/site-row.ts';
import { IS_NEW } from '../../table/condition.ts';
import { retryOnConflict } from '../../table/retry.ts';
import { rows } from '../../table/rows.ts';
import type { Item, Table } from '../../table/table.ts';
import { coverageOf, SiteWatch } from './coverage-row.ts';
import type { Snapshot } from './snapshot.ts';

export interface Collection {
  readonly version: number;
  readonly changedAt: number;
  /** Numbers of devices in the order of TOTALS_ORDER; null when they are of an older version. */
  readonly counts: readonly number[] | null;
  /** The first version of the collection. Rows with a lower one belong to a removed site of the same id. */
  readonly born: number;
  /** Since when no agent has watched the site; null while one does, or none should. */
  readonly staleSince: string | null;
  readonly watch: SiteWatch;
}

/** @throws {ServiceError} `site_forbidden` when there is no such site */
export async function readCollection(table: Table, site: SiteId): Promise<Collection> {
  const item = await table.get(rows.collection(site), { consistent: true });
  if (item === null || isGone(item)) throw new ServiceError('site_forbidden', siteForbidden(site));
  return collectionOf(item);
}

/** The attributes with the version and the counts of the collection after a change. */
export function collectionAfter({ version, counts }: Pick<Snapshot, 'version' | 'counts'>, now: Date) {
  return { ver: version, verAt: now.getTime(), counts: countsAt(version, counts) };
}

const countsAt = (version: number, counts: readonly number[]): string => JSON.stringify([version, ...counts]);

/** The row with another version, and the same devices. */
export function withVersion(version: number, item: Item): Item {
  const { counts } = collectionOf(item);
  return { ...item, ver: version, ...(counts === null ? {} : { counts: countsAt(version, counts) }) };
}

/** The same message whether or not the site exists, because a token without access must not learn it. */
export const siteForbidden = (site: string): string => `The site "${site}" does not exist, or the token may not use it`;

function collectionOf(item: Item): Collection {
  const version = Number(item.ver);
  const counted: unknown = typeof item.counts === 'string' ? JSON.parse(item.counts) : null;
  const [countedVersion, ...counts] = Array.isArray(counted) ? counted.map(Number) : [];
  return {
    version,
    changedAt: Number(item.verAt),
    counts: countedVersion === version ? counts : null,
    born: Number(item.born ?? 0),
    staleSince: staleSinceOf(item),
    watch: new SiteWatch(coverageOf(item)),
  };
}

/** The result, or null when the site does not exist: it may have been deleted meanwhile. */
export async function unlessDeleted<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'site_forbidden') return null;
    throw error;
  }
}

const NO_DEVICES: readonly number[] = TOTALS_ORDER.map(() => 0);
/** Replaces the time of deletion in `gone`, once the deletion cannot be undone. */
const ENDED = 0;

export function openCollections(table: Table, now: () => Date) {
  return {
    /** Creates the empty collection of a new site. @returns false when the site has one */
    async create(site: SiteId, at: Date): Promise<boolean> {
      // Versions start at the creation time, so that a re-created site repeats none that a client has cached.
      const ver = at.getTime();
      // An update instead of a put, because the role that adds sites must not be able to overwrite a whole item.
      const empty = { ...collectionAfter({ version: ver, counts: NO_DEVICES }, at), born: ver };
      if (await table.update(rows.collection(site), { set: empty }, IS_NEW)) return true;
      // The version that `retire` has announced.
      const next = { set: { verAt: ver }, add: { ver: 1 }, remove: ['gone'] };
      return table.update(rows.collection(site), next, { equals: { gone: ENDED } });
    },

    /**
     * Ends the collection of a deleted site: the deletion can no longer be undone, and changes in flight fail. The row stays
     * for ever, so that the versions of a later collection of the same id continue from there.
     * @param deletedAt Unix, ms
     * @returns whether it has ended; false when the site was not deleted at that time, or has been restored
     */
    async retire(site: SiteId, deletedAt: number): Promise<boolean> {
      return retryOnConflict(`The devices of site "${site}" keep changing; try again`, async () => {
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
        const update = { set: ended, remove: ['staleSince', 'coverage'] };
        const isUnchanged = { equals: { ver: seen, gone: deletedAt } };
        return (await table.update(rows.collection(site), update, isUnchanged)) || undefined;
      });
    },
  };
}
