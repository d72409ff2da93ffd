/** The table in the memory of this process, for tests: like the one on disk, but not durable. */
import { comesAfter, type Engine, type LocalTable, openLocalTable } from './local-table.ts';
import type { Key } from './rows.ts';
import type { Item } from './table.ts';

export function openMemoryTable(): LocalTable {
  const partitions = new Map<string, Partition>();

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

    scan(after, limit) {
      const all = [...partitions.keys()]
        .sort()
        .flatMap((pk) => (partitions.get(pk) ?? NOTHING).keys.map((sk): Key => ({ pk, sk })));
      const at = after === null ? 0 : all.findIndex(isBehind(after));
      const found = at < 0 ? [] : all.slice(at, at + limit);
      return found.map(({ pk, sk }) => partitions.get(pk)?.items.get(sk) as Item);
    },

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
      const items = engine.scan(null, Number.MAX_SAFE_INTEGER).map((item) => ({ ...item }));
      return {
        scan(after, limit) {
          const at = after === null ? 0 : items.findIndex(isBehind(after));
          return at < 0 ? [] : items.slice(at, at + limit);
        },
        close() {},
      };
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

/** Whether a key follows this one. */
const isBehind =
  (after: Key) =>
  ({ pk, sk }: Key): boolean =>
    pk > after.pk || (pk === after.pk && comesAfter(sk, after.sk));

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

function copy(item: Item | undefined): Item | null {
  return item === undefined ? null : { ...item };
}
