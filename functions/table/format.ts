/**
 * The number of the format in the table: one row, which is written before any other.
 *
 * On one machine it is read when the server starts. In the cloud each process of a function reads it once, with one read
 * unit, before its first call of the table: Lambda may freeze what is in flight when a response needs no table. A number in
 * the name of the table would silently begin an empty table beside the old one, and a check at deployment would not see a
 * table that is restored in its place later.
 * @promise The server refuses data of another format, and leaves it untouched: `functions/table/format.test.ts`.
 */
import { FORMAT, formatIn, OtherFormat } from '../../shared/format.ts';
import { IS_NEW } from './condition.ts';
import { PARTITIONS, rows } from './rows.ts';
import type { Table } from './table.ts';

/** Whether the table has never been used. */
type IsEmpty = (table: Table) => Promise<boolean>;

/** On one machine: the first start creates a site and a token. */
export const hasNoSiteOrToken: IsEmpty = async (table) => {
  for (const partition of [PARTITIONS.siteList, PARTITIONS.tokenList]) {
    for await (const page of table.query(partition, null, { consistent: true, limit: 1 })) {
      if (page.length > 0) return false;
    }
  }
  return true;
};

/** In the cloud: without the first token, no caller can have stored anything. The functions may read that one row. */
export const hasNoFirstToken: IsEmpty = async (table) =>
  (await table.get(rows.firstToken(), { consistent: true })) === null;

/**
 * Changes nothing.
 * @param what names the table in the message
 * @returns whether the table has the number: not when it is empty
 * @throws {OtherFormat}
 */
export async function requireTableFormat(table: Table, what: string, isEmpty: IsEmpty): Promise<boolean> {
  const read = () => table.get(rows.format(), { consistent: true });
  let item = await read();
  if (item === null && (await isEmpty(table))) return false;
  item ??= await read(); // Another process may have begun since: it writes the number first.
  if (item?.format === FORMAT) return true;
  throw new OtherFormat(what, formatIn(item?.format));
}

/** Writes the number into an empty table. @throws {OtherFormat} */
export async function provideTableFormat(table: Table, what: string, isEmpty: IsEmpty): Promise<void> {
  if (await requireTableFormat(table, what, isEmpty)) return;
  await table.put({ ...rows.format(), format: FORMAT }, IS_NEW);
}

/**
 * The same table, with no read or write before its format is checked. The first call reads the number.
 * @param refuse makes the error with which each call on a table of another format fails
 */
export function withFormat(
  table: Table,
  { what, isEmpty, refuse }: { what: string; isEmpty: IsEmpty; refuse: (error: OtherFormat) => Error },
): Table {
  let isKnown = false;
  let checking: Promise<void> | null = null;
  async function check(): Promise<void> {
    try {
      isKnown = await requireTableFormat(table, what, isEmpty);
    } catch (error) {
      throw error instanceof OtherFormat ? refuse(error) : error;
    } finally {
      checking = null;
    }
  }
  async function known(): Promise<void> {
    if (isKnown) return;
    checking ??= check();
    await checking;
  }
  return {
    get: (...args) => known().then(() => table.get(...args)),
    getAll: (...args) => known().then(() => table.getAll(...args)),
    async *query(...args) {
      await known();
      yield* table.query(...args);
    },
    put: (...args) => known().then(() => table.put(...args)),
    update: (...args) => known().then(() => table.update(...args)),
    remove: (...args) => known().then(() => table.remove(...args)),
    transact: (...args) => known().then(() => table.transact(...args)),
    bulk: (...args) => known().then(() => table.bulk(...args)),
    ping: () => known().then(() => table.ping()),
    close: () => table.close(),
  };
}
