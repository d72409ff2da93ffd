import { readEach } from '../../shared/problem.ts';
import { type Item, listItems, type Prefix, type Table } from './table.ts';

/** Lists and decodes rows. An unreadable one is listed by what follows the prefix in its key, and hides no other. */
export async function listReadable<T>(
  table: Pick<Table, 'query'>,
  pk: string,
  prefix: Prefix | null,
  read: (item: Item) => T | null,
) {
  return readEach(await listItems(table, pk, prefix), ({ sk }) => sk.slice(prefix?.length ?? 0), read);
}
