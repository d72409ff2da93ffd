/**
 * The table on the disk of this machine: LMDB inside this process. Reads come from mapped memory; commits are made, and
 * synced to disk, by a thread of the library, so that a slow disk never holds up the event loop. LMDB never overwrites a
 * page that the last commit needs, so a process or a machine that stops at any moment leaves that commit.
 * See docs/decisions/003-lmdb-on-one-machine.md.
 */
import { chmodSync } from 'node:fs';
import { type Key as LmdbKey, open } from 'lmdb';
import { comesAfter, type LocalTable, openLocalTable } from './local-table.ts';
import type { Key } from './rows.ts';
import type { Item } from './table.ts';

/** Follows every text, as the greatest character of Unicode that keys do not begin with. */
const LAST = '\u{10ffff}';

/**
 * Opens the table in a file, which is made if it is missing, readable for this user alone.
 * @param onPut called when a single item was put, as a stream of the table would tell of it; it must not throw
 */
export function openLmdbTable(path: string, onPut?: (key: Key) => void): LocalTable {
  const database = open<Item, LmdbKey>({
    path,
    noSubdir: true,
    encoding: 'msgpack',
    // A commit is on the disk before it is acknowledged, and before the next one begins.
    overlappingSync: false,
    // Bytes are copied out of the mapped memory, which the next commit may change.
    encoder: { copyBuffers: true, useRecords: false },
  });

  chmodSync(path, 0o600);
  const values = (range: Iterable<{ value: Item }>) => Array.from(range, ({ value }) => value);

  return openLocalTable(
    {
      get: ({ pk, sk }) => database.get([pk, sk]) ?? null,

      range(pk, prefix, { after, descending: reverse, limit }) {
        const end = prefix + LAST;
        const isInside = after !== undefined && comesAfter(after, prefix) && comesAfter(end, after);
        const from = isInside ? after : reverse ? end : prefix;
        // Where `after` lies outside of the prefix, everything comes behind it, or nothing.
        if (after !== undefined && !isInside && comesAfter(after, prefix) !== reverse) return [];
        const bounds = { start: [pk, from], end: [pk, reverse ? prefix : end] };
        return values(
          database.getRange({ ...bounds, reverse, inclusiveEnd: reverse, exclusiveStart: isInside, limit }),
        );
      },

      scan(after, limit) {
        const start = after === null ? {} : { start: [after.pk, after.sk], exclusiveStart: true };
        return values(database.getRange({ ...start, limit }));
      },

      put: (item) => void database.put([item.pk, item.sk], item),
      remove: ({ pk, sk }) => void database.remove([pk, sk]),
      commit: (work) => database.transaction(work),
      close: () => database.close(),
    },
    onPut,
  );
}
