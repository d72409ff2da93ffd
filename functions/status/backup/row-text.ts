/** Rows as the text of a backup: a line for each. */
import { RowLine } from '../../../shared/backup/contents.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { type Key, PARTITIONS, PREFIXES } from '../../table/rows.ts';
import type { Item, Scalar } from '../../table/table.ts';

/** Partitions of a site: a prefix and the site. */
const OF_SITES = (['site', 'jobs', 'results', 'audit', 'hooks', 'monitoring', 'series'] as const).map(
  (name) => PARTITIONS[name],
);

/** The site that a row belongs to and is deleted with. Null for a row of all sites, or of a token. */
export function siteOf({ pk, sk }: Key): SiteId | null {
  const prefix = OF_SITES.find((one) => pk.startsWith(one));
  if (prefix !== undefined) return pk === `${prefix}*` ? null : pk.slice(prefix.length);
  if (pk === PARTITIONS.siteList) return sk.slice(PREFIXES.site.length);
  return null;
}

export function lineOf(item: Item): string {
  const row = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, shown(value)]));
  return `${JSON.stringify({ row })}\n`;
}

/** @param line as parsed JSON @throws when it is not that of a row */
export function itemOf(line: unknown): Item {
  const { row } = RowLine.parse(line);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, read(value)])) as Item;
}

function shown(value: Scalar): string | number | { b: string } {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return { b: Buffer.from(value).toString('base64') };
}

function read(value: unknown): Scalar {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'object' && value !== null && 'b' in value && typeof value.b === 'string')
    return Buffer.from(value.b, 'base64');
  throw new TypeError('a value that no row has');
}
