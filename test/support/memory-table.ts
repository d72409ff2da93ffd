/** The table in the memory of this process: like the one on disk, but not durable. */
import { comesAfter, type Engine, type LocalTable, openLocalTable } from '../../functions/table/local-table.ts';
import type { Key } from '../../functions/table/rows.ts';
import type { Item } from '../../functions/table/table.ts';

export function openMemoryTable(): LocalTable {
  const partitions = new Map<string, Partition>();
  const all = () =>
    [...partitions]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, { keys, items }]) => keys.map((sk) => items.get(sk)!));

  const engine: Engine = {
    get: ({ pk, sk }) => copy(partitions.get(pk)?.items.get(sk)),

    range(pk, prefix, { after, descending, limit }) {
      const { keys, items } = partitions.get(pk) ?? NOTHING;
      const first = placeOf(keys, prefix);
      const end = placeOf(keys, prefix + LAST);
      // `after` itself is skipped, in both directions.
      const place = after === undefined ? 0 : placeOf(keys, after);
      const from = after === undefined ? first : Math.max(first, keys[place] === after ? place + 1 : place);
      const to = after === undefined ? end : Math.min(end, place);
      const found = descending ? keys.slice(Math.max(first, to - limit), to).reverse() : keys.slice(from, end);
      return found.slice(0, limit).map((sk) => ({ ...(items.get(sk) as Item) }));
    },

    scan: (after, limit) => pageOf(all(), after, limit),

    put(item) {
      const partition = partitions.get(item.pk) ?? { keys: [], items: new Map() };
      partitions.set(item.pk, partition);
      const { keys, items } = partition;
      if (!items.has(item.sk)) keys.splice(placeOf(keys, item.sk), 0, item.sk);
      items.set(item.sk, { ...item });
    },

    remove({ pk, sk }) {
      const partition = partitions.get(pk);
      if (!partition?.items.delete(sk)) return;
      partition.keys.splice(placeOf(partition.keys, sk), 1);
      if (partition.keys.length === 0) partitions.delete(pk);
    },

    snapshot() {
      const items = all().map((item) => ({ ...item }));
      return { scan: (after, limit) => pageOf(items, after, limit), close() {} };
    },

    commit: async (work) => work(),
    hasRoom: () => true,
    close: async () => {},
  };
  return openLocalTable(engine);
}

/** Ordered by the bytes of sort keys, which differs from the order of JavaScript beyond U+FFFF. */
interface Partition {
  keys: string[];
  items: Map<string, Item>;
}
const NOTHING: Partition = { keys: [], items: new Map() };
/** Sorts after every text: the greatest character of Unicode, with which no key begins. */
const LAST = '\u{10ffff}';

function pageOf(items: readonly Item[], after: Key | null, limit: number): Item[] {
  const isBehind = ({ pk, sk }: Key) =>
    after === null || pk > after.pk || (pk === after.pk && comesAfter(sk, after.sk));
  const at = items.findIndex(isBehind);
  return at < 0 ? [] : items.slice(at, at + limit);
}

/** The index of a key among these, or where it would be inserted. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comesAfter(key, keys[middle] as string)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const copy = (item: Item | undefined): Item | null => (item === undefined ? null : { ...item });
