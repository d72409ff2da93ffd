/** The table in the memory of this process, for tests: as the one on disk, but nothing outlives it. */
import { comesAfter, type Engine, type LocalTable, openLocalTable } from './local-table.ts';
import type { Key } from './rows.ts';
import type { Item } from './table.ts';

export function openMemoryTable(onPut?: (key: Key) => void): LocalTable {
  const partitions = new Map<string, Map<string, Item>>();
  /** In the order of the bytes of their sort keys, which is not that of JavaScript for characters beyond U+FFFF. */
  const sorted = (pk: string) =>
    [...(partitions.get(pk)?.values() ?? [])].sort((a, b) => Buffer.compare(Buffer.from(a.sk), Buffer.from(b.sk)));

  const engine: Engine = {
    get: ({ pk, sk }) => copy(partitions.get(pk)?.get(sk)),

    range(pk, prefix, { after, descending, limit }) {
      const items = sorted(pk).filter(({ sk }) => sk.startsWith(prefix));
      if (descending) items.reverse();
      const behind = items.filter(({ sk }) => {
        if (after === undefined) return true;
        return descending ? comesAfter(after, sk) : comesAfter(sk, after);
      });
      return behind.slice(0, limit).map((item) => ({ ...item }));
    },

    scan(after, limit) {
      const all = [...partitions.keys()].sort().flatMap(sorted);
      const at =
        after === null
          ? 0
          : all.findIndex(({ pk, sk }) => pk > after.pk || (pk === after.pk && comesAfter(sk, after.sk)));
      return at < 0 ? [] : all.slice(at, at + limit);
    },

    put(item) {
      const partition = partitions.get(item.pk) ?? new Map<string, Item>();
      partitions.set(item.pk, partition.set(item.sk, { ...item }));
    },

    remove({ pk, sk }) {
      const partition = partitions.get(pk);
      partition?.delete(sk);
      if (partition?.size === 0) partitions.delete(pk);
    },

    commit: async (work) => work(),
    close: async () => {},
  };
  return openLocalTable(engine, onPut);
}

function copy(item: Item | undefined): Item | null {
  return item === undefined ? null : { ...item };
}
