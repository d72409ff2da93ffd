/**
 * The table on the disk of this machine: LMDB inside this process. Reads come from mapped memory; a thread of the library
 * commits, and syncs to disk, so that a slow disk never blocks the event loop. LMDB never overwrites a page that the last
 * commit needs, so a process or a machine that stops at any moment keeps that commit.
 * See docs/decisions/003-lmdb-on-one-machine.md.
 */
import { chmodSync, closeSync, fstatSync, ftruncateSync, openSync, readSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Key as LmdbKey, open, type RootDatabase } from 'lmdb';
import { codeOf } from '../../shared/errno.ts';
import { comesAfter, type LocalTable, openLocalTable } from './local-table.ts';
import { DISK_IS_FULL } from './outage.ts';
import type { Key } from './rows.ts';
import type { Item } from './table.ts';

/** With less free space than this, a failed commit is taken to have failed for lack of it. */
const LEAST_FREE_BYTES = 8 * 1024 * 1024;

/** Sorts after every text: the greatest character of Unicode, with which no key begins. */
const LAST = '\u{10ffff}';

/** Offsets in the first two pages of a file of LMDB, in bytes: see MDB_meta in its mdb.c. */
const META = { magicAt: 24, pageSizeAt: 48, lastPageAt: 144, transactionAt: 152, size: 160 };
const MAGIC = 0xbeefc0de;

/**
 * Checks a file before it is mapped into memory, because a read beyond its end would end the process without a message.
 * Its last pages may be missing, where a commit has used and freed them: they are added.
 * @returns whether pages were added
 * @throws {Error} when it is no file of LMDB
 */
export function prepareFile(path: string): boolean {
  const file = openIfThere(path);
  if (file === null) return false;
  try {
    const { size } = fstatSync(file);
    if (size === 0) return false;
    const read = (at: number) => {
      const meta = Buffer.alloc(META.size);
      readSync(file, meta, 0, META.size, at);
      return meta;
    };
    const first = read(0);
    const pageSize = first.readUInt32LE(META.pageSizeAt);
    const metas = [first, read(pageSize)];
    if (metas.some((meta) => meta.readUInt32LE(META.magicAt) !== MAGIC))
      throw new Error(`${path} is no database of this program, or its beginning is damaged. Put a copy of it back`);
    const [last = first] = metas.sort((a, b) => (transactionOf(a) > transactionOf(b) ? -1 : 1));
    const wanted = (Number(last.readBigUInt64LE(META.lastPageAt)) + 1) * pageSize;
    if (size >= wanted) return false;
    ftruncateSync(file, wanted);
    return true;
  } finally {
    closeSync(file);
  }
}

const transactionOf = (meta: Buffer): bigint => meta.readBigUInt64LE(META.transactionAt);

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** On a full disk, LMDB reports only that writing has failed. */
function causeOf(error: unknown, folder: string): unknown {
  if (isFailedCommit(error)) error.commitError.catch(() => {});
  return hasRoom(folder) ? error : new Error(DISK_IS_FULL, { cause: error });
}

/** Needs no file descriptor, and takes microseconds. */
function hasRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= LEAST_FREE_BYTES;
}

/**
 * Whether an error reports a failed commit. The library also rejects a promise of its own with it, which no caller gets:
 * as an unhandled rejection it adds nothing.
 */
export function isFailedCommit(error: unknown): error is Error & { commitError: Promise<never> } {
  return error instanceof Error && 'commitError' in error && error.commitError instanceof Promise;
}

/** Reads every item once. @throws {Error} when the missing pages are those of items */
function requireReadable(database: RootDatabase<Item, LmdbKey>, path: string): void {
  try {
    for (const { value } of database.getRange({})) if (typeof value !== 'object') throw new TypeError('no item');
  } catch (error) {
    throw new Error(`${path} is not whole: a part of it is missing. Put a copy of it back`, { cause: error });
  }
}

/**
 * Opens the table in a file, which is created if it is missing, readable for this user alone.
 * @throws {Error} when the file is damaged
 */
export function openLmdbTable(path: string): LocalTable {
  const mayLackPages = prepareFile(path);
  const database = open<Item, LmdbKey>({
    path,
    noSubdir: true,
    encoding: 'msgpack',
    // A commit is durable before it is acknowledged, and before the next one begins.
    overlappingSync: false,
    // Bytes are copied out of the mapped memory, which the next commit may change.
    encoder: { copyBuffers: true, useRecords: false },
  });

  chmodSync(path, 0o600);
  if (mayLackPages) requireReadable(database, path);
  const behind = (after: Key | null) => (after === null ? {} : { start: [after.pk, after.sk], exclusiveStart: true });
  const values = (range: Iterable<{ value: Item }>) => Array.from(range, ({ value }) => value);

  return openLocalTable({
    get: ({ pk, sk }) => database.get([pk, sk]) ?? null,

    range(pk, prefix, { after, descending: reverse, limit }) {
      const end = prefix + LAST;
      const isInside = after !== undefined && comesAfter(after, prefix) && comesAfter(end, after);
      const from = isInside ? after : reverse ? end : prefix;
      // With `after` outside of the prefix, everything follows it, or nothing.
      if (after !== undefined && !isInside && comesAfter(after, prefix) !== reverse) return [];
      const bounds = { start: [pk, from], end: [pk, reverse ? prefix : end] };
      return values(database.getRange({ ...bounds, reverse, inclusiveEnd: reverse, exclusiveStart: isInside, limit }));
    },

    scan: (after, limit) => values(database.getRange({ ...behind(after), limit })),

    snapshot() {
      database.resetReadTxn(); // The one of this tick of the event loop may have begun before the last commit.
      const transaction = database.useReadTransaction();
      return {
        scan: (after, limit) => values(database.getRange({ ...behind(after), limit, transaction })),
        close: () => transaction.done(),
      };
    },

    // Inside of a commit: they are part of it.
    put: (item) => void database.putSync([item.pk, item.sk], item),
    remove: ({ pk, sk }) => void database.removeSync([pk, sk]),
    async commit(work) {
      try {
        await database.transaction(work);
      } catch (error) {
        throw causeOf(error, dirname(path));
      }
    },
    hasRoom: () => hasRoom(dirname(path)),
    close: () => database.close(),
  });
}
