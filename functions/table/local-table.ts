/**
 * The table inside this process, on an engine that keeps items in the order of their keys. All writes go through one
 * queue, and those that wait together are committed together, so that a slow disk is written once for all of them. No
 * other process writes, so a condition is evaluated on the item that the same commit changes.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { deadline } from '../../shared/async.ts';
import { ServiceError } from '../../shared/errors.ts';
import { holds } from './condition.ts';
import { DISK_IS_FULL, isFullDisk } from './outage.ts';
import { addConsumed } from './request-cost.ts';
import { type Key, rows } from './rows.ts';
import {
  type ConditionalWrite,
  type GetOptions,
  type Item,
  inGroups,
  MAX_TRANSACTION_WRITES,
  requireStorable,
  type Table,
} from './table.ts';

interface Range {
  /** Starts after this sort key, in the direction of the range. */
  after?: string | undefined;
  descending: boolean;
  limit: number;
}

const FULL_RETRY_AFTER_S = 30;

/** The storage of the items. Reads see what is committed and, inside of `commit`, also what that has written so far. */
export interface Engine {
  get(key: Key): Item | null;
  /** The items of a partition whose sort keys have a prefix. */
  range(pk: string, prefix: string, range: Range): Item[];
  /** At most so many items of all partitions, in the order of their keys, after a key. */
  scan(after: Key | null, limit: number): Item[];
  /** Only inside of `commit`. */
  put(item: Item): void;
  /** Only inside of `commit`. */
  remove(key: Key): void;
  /** The items as they are now, unaffected by later writes. Pages that it needs are not reused until it is closed. */
  snapshot(): { scan(after: Key | null, limit: number): Item[]; close(): void };
  /** Calls `work` at once or later, and resolves when its writes are durable: all of them, or none. */
  commit(work: () => void): Promise<void>;
  /** Whether there is room for a transaction and the writes that follow from it. */
  hasRoom(): boolean;
  close(): Promise<void>;
}

/** Every item of the table as it was at one moment. */
export interface TableSnapshot {
  /** In the order of their keys, page by page. */
  pages(): AsyncGenerator<Item[]>;
  /** While it is open, the database grows with every write. */
  close(): void;
}

export interface LocalTable extends Table {
  /** With every acknowledged write, and no write in part. */
  snapshot(): TableSnapshot;
  /** Deletes expired items. @returns how many */
  expire(now: Date, signal?: AbortSignal): Promise<number>;
}

type Writer = Pick<Engine, 'put' | 'remove'>;

interface Job {
  work: () => unknown;
  /** How many items it writes at most. */
  writes: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Items per page: a few milliseconds of reading, after which other requests have their turn. */
const PAGE_ITEMS = 500;
/** The same for reads of everything, where some items are large. */
const SNAPSHOT_PAGE_ITEMS = 100;
/** Items written by one commit at most, for the same reason. */
const COMMIT_ITEMS = 500;
/** Jobs that may wait for a commit. */
const MAX_WAITING = 20_000;
/** After this time, the disk counts as unresponsive. */
const COMMIT_WITHIN_MS = 30_000;

export function openLocalTable(engine: Engine): LocalTable {
  let waiting: Job[] = [];
  let isCommitting = false;

  /** @param work writes by the functions that it gets, which count what they consume */
  async function write<T>(writes: number, work: (writer: Writer) => T): Promise<T> {
    if (waiting.length >= MAX_WAITING)
      throw new ServiceError('busy', 'The database has more to write than it can; try again later', { retryAfter: 2 });
    let units = 0;
    const writer: Writer = {
      put(item) {
        engine.put(item);
        units += unitsOf('write', item);
      },
      remove(key) {
        engine.remove(key);
        units += 1;
      },
    };
    const value = await new Promise<T>((resolve, reject) => {
      waiting.push({ work: () => work(writer), writes, resolve: resolve as Job['resolve'], reject });
      if (!isCommitting) void commitAll();
    });
    addConsumed('write', units); // Here, where the context is that of the caller.
    return value;
  }

  async function commitAll(): Promise<void> {
    isCommitting = true;
    await yieldToEventLoop(); // Commits all writes of one tick of the event loop together.
    while (waiting.length > 0) await commit(nextJobs());
    isCommitting = false;
  }

  function nextJobs(): Job[] {
    let count = 0;
    for (let writes = 0; writes < COMMIT_ITEMS && count < waiting.length; count++)
      writes += waiting[count]?.writes ?? 0;
    const jobs = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return jobs;
  }

  async function commit(jobs: readonly Job[]): Promise<void> {
    const ends: (() => void)[] = [];
    try {
      const committed = engine.commit(() => {
        for (const { work, resolve, reject } of jobs) {
          // It evaluates and computes everything before its first write, so a failure leaves no partial write.
          try {
            const value = work();
            ends.push(() => resolve(value));
          } catch (error) {
            ends.push(() => reject(error));
          }
        }
      });
      await deadline(committed, COMMIT_WITHIN_MS, () => {
        throw new Error(`nothing was written within ${COMMIT_WITHIN_MS} ms`);
      });
    } catch (error) {
      const [message, retryAfter] = isFullDisk(error)
        ? [DISK_IS_FULL, FULL_RETRY_AFTER_S]
        : ['The database cannot be written at the moment', 2];
      for (const { reject } of jobs) reject(new ServiceError('unavailable', message, { cause: error, retryAfter }));
      return;
    }
    for (const end of ends) end();
  }

  async function transact(writes: readonly ConditionalWrite[]): Promise<boolean> {
    if (writes.length > MAX_TRANSACTION_WRITES) throw new RangeError('a transaction has at most 100 writes');
    // Further writes carry out what a transaction records: one that is rejected here has not happened.
    if (!engine.hasRoom()) throw new ServiceError('unavailable', DISK_IS_FULL, { retryAfter: FULL_RETRY_AFTER_S });
    return write(writes.length, (writer) => {
      const puts = writes.flatMap((one) => ('put' in one ? one.put : 'update' in one ? updated(one) : []));
      for (const item of puts) requireStorable(item);
      if (!writes.every((one) => one.condition === undefined || holds(one.condition, engine.get(keyOf(one)))))
        return false;
      for (const item of puts) writer.put(item);
      for (const one of writes) if ('remove' in one) writer.remove(one.remove);
      return true;
    });
  }

  function updated({ update: { pk, sk }, by }: Extract<ConditionalWrite, { update: Key }>): Item {
    const { set = {}, setOnce = {}, add = {}, remove = [] } = by;
    const item: Item = engine.get({ pk, sk }) ?? { pk, sk };
    const sums = Object.entries(add).map(([name, more]) => [name, Number(item[name] ?? 0) + more]);
    const rest = Object.fromEntries(Object.entries(item).filter(([name]) => !remove.includes(name)));
    return { ...setOnce, ...rest, ...set, ...Object.fromEntries(sums) } as Item;
  }

  return {
    async get(key, { attributes, consistent = false }: GetOptions = {}) {
      const item = engine.get(key);
      addConsumed('read', unitsOf('read', item, consistent));
      if (item === null || attributes === undefined) return item;
      const names = ['pk', 'sk', ...attributes].filter((name) => item[name] !== undefined);
      return Object.fromEntries(names.map((name) => [name, item[name]])) as Item;
    },

    async getAll(keys, { consistent = false } = {}) {
      const found: Item[] = [];
      for (const group of inGroups(keys, PAGE_ITEMS)) {
        for (const key of group) {
          const item = engine.get(key);
          addConsumed('read', unitsOf('read', item, consistent));
          if (item !== null) found.push(item);
        }
        if (group.length === PAGE_ITEMS) await yieldToEventLoop();
      }
      return found;
    },

    async *query(pk, prefix, { descending = false, limit = PAGE_ITEMS, startAfter, consistent = false } = {}) {
      let after = startAfter;
      for (;;) {
        const page = engine.range(pk, prefix ?? '', { after, descending, limit: Math.min(limit, PAGE_ITEMS) });
        addConsumed('read', unitsOfPage(page, consistent));
        yield page;
        if (page.length < Math.min(limit, PAGE_ITEMS)) return;
        after = page.at(-1)?.sk;
        await yieldToEventLoop();
      }
    },

    put: (item, condition) => transact([{ put: item, condition }]),
    update: (key, by, condition) => transact([{ update: key, by, condition }]),
    remove: (key, condition) => transact([{ remove: key, condition }]),
    transact,

    async bulk(writes) {
      for (const group of inGroups(writes, COMMIT_ITEMS)) {
        await write(group.length, (writer) => {
          for (const one of group) if ('put' in one) requireStorable(one.put);
          for (const one of group) {
            if (one.condition !== undefined && !holds(one.condition, engine.get(keyOf(one)))) continue;
            if ('put' in one) writer.put(one.put);
            else writer.remove(one.remove);
          }
        });
      }
    },

    async expire(now, signal) {
      const hasExpired = (item: Item | null) => item !== null && Number(item.ttl) * 1000 < now.getTime();
      let removed = 0;
      let last: Item | undefined;
      do {
        const page = engine.scan(last ?? null, PAGE_ITEMS);
        const expired = page.filter(hasExpired);
        if (expired.length > 0) {
          removed += await write(expired.length, () => {
            // A device may have been added in the place of a deleted one.
            const still = expired.filter((item) => hasExpired(engine.get(item)));
            for (const item of still) engine.remove(item);
            return still.length;
          });
        }
        last = page.at(-1);
        await yieldToEventLoop();
      } while (last !== undefined && !signal?.aborted);
      return removed;
    },

    snapshot() {
      const snapshot = engine.snapshot();
      let isOpen = true;
      return {
        async *pages() {
          for (let last: Item | undefined; ; ) {
            // The engine may have reused the pages, and must not read them.
            if (!isOpen) throw new Error('the snapshot of the table is closed');
            const page = snapshot.scan(last ?? null, SNAPSHOT_PAGE_ITEMS);
            last = page.at(-1);
            if (last === undefined) return;
            yield page;
            await yieldToEventLoop();
          }
        },
        close() {
          if (isOpen) snapshot.close();
          isOpen = false;
        },
      };
    },

    async ping() {
      engine.get(rows.probe());
    },

    close: () => engine.close(),
  };
}

/** Whether a sort key follows another one, in the order of their bytes. */
export function comesAfter(sk: string, other: string): boolean {
  return Buffer.compare(Buffer.from(sk), Buffer.from(other)) > 0;
}

function keyOf(write: ConditionalWrite): Key {
  if ('put' in write) return write.put;
  return 'remove' in write ? write.remove : 'update' in write ? write.update : write.check;
}

/** The units that DynamoDB would consume, so that the log and tests show the cost of a request in the cloud. */
function unitsOf(kind: 'read' | 'write', item: Item | null, consistent = true): number {
  return unitsOfBytes(kind, item === null ? 1 : sizeOf(item), consistent);
}

/** The items of a page are read together. */
function unitsOfPage(page: readonly Item[], consistent: boolean): number {
  const bytes = page.reduce((sum, item) => sum + sizeOf(item), 0);
  return unitsOfBytes('read', Math.max(1, bytes), consistent);
}

function unitsOfBytes(kind: 'read' | 'write', bytes: number, consistent: boolean): number {
  return kind === 'write' ? Math.ceil(bytes / 1024) : Math.ceil(bytes / 4096) * (consistent ? 1 : 0.5);
}

/** Approximate size of an item in bytes: one for each character, and eight for a number. */
function sizeOf(item: Item): number {
  let size = 0;
  for (const name in item) {
    const value = item[name]!;
    size += name.length + (typeof value === 'number' ? 8 : value.length);
  }
  return size;
}
