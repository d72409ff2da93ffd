/** The row with the version of a collection: `#META` in the partition of its site. */
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { isGone, staleSinceOf } from '../../sites/site-row.ts';
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

/** The attribute with the counts of a version. */
export function countsAt(version: number, counts: readonly number[]): string {
  return JSON.stringify([version, ...counts]);
}

/** The row with another version, and the same devices. */
export function withVersion(version: number, item: Item): Item {
  const { counts } = collectionOf(item);
  return { ...item, ver: version, ...(counts === null ? {} : { counts: countsAt(version, counts) }) };
}

/** The same message whether or not the site exists, because a token without access must not learn it. */
export function siteForbidden(site: string): string {
  return `The site "${site}" does not exist, or the token may not use it`;
}

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
