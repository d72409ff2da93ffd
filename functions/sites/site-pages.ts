/** Pages of the list of sites: of all, or of those in reach. */
import type { Unreadable } from '../../shared/api/operation.ts';
import type { Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { orNull, readEach } from '../../shared/problem.ts';
import type { Reach } from '../http/reach.ts';
import { PARTITIONS, PREFIXES, rows } from '../table/rows.ts';
import type { Item, QueryOptions, Table } from '../table/table.ts';
import { decodeSite, isGone } from './site-row.ts';

interface SitePage {
  /** At most `limit`. */
  sites: Site[];
  unreadable: Unreadable[];
  /** The id after which the next page begins; null on the last one. */
  next: SiteId | null;
}

/** For a reach that excludes some sites, more rows are read at a time. */
const LEAST_READ = 200;

interface Rows {
  items: Item[];
  next: SiteId | null;
}

/** @param after the page begins after this id */
export async function readSitePage(table: Table, reach: Reach, after: SiteId | null, limit: number): Promise<SitePage> {
  const { items, next } =
    reach.only === null
      ? await rowsOfAll(table, reach, after, limit)
      : await rowsOf(table, reach, reach.only, after, limit);
  const { readable, unreadable } = readEach(items, idOf, decodeSite);
  return { sites: readable, unreadable, next };
}

async function rowsOfAll(table: Table, reach: Reach, after: SiteId | null, limit: number): Promise<Rows> {
  const items: Item[] = [];
  const options: QueryOptions = { consistent: true, limit: reach.isAll ? limit + 1 : Math.max(limit + 1, LEAST_READ) };
  if (after !== null) options.startAfter = rows.site(after).sk;
  for await (const some of table.query(PARTITIONS.siteList, PREFIXES.site, options)) {
    items.push(...some.filter((item) => !isGone(item) && isWithin(reach, item)));
    if (items.length > limit) break;
  }
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown, next: items.length > limit && last !== undefined ? idOf(last) : null };
}

async function rowsOf(
  table: Table,
  reach: Reach,
  among: readonly SiteId[],
  after: SiteId | null,
  limit: number,
): Promise<Rows> {
  const ids = among.filter((id) => after === null || id > after);
  const chosen = ids.slice(0, limit);
  const found = await table.getAll(chosen.map(rows.site), { consistent: true });
  const items = found.filter((item) => !isGone(item) && isWithin(reach, item)).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return { items, next: ids.length > limit ? (chosen.at(-1) ?? null) : null };
}

/** False for an unreadable row where its tags decide. */
function isWithin(reach: Reach, item: Item): boolean {
  return reach.knows(idOf(item)) ?? orNull(() => reach.has(decodeSite(item))) ?? false;
}

const idOf = ({ sk }: Item): SiteId => sk.slice(PREFIXES.site.length);
