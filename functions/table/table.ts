/**
 * The one table, as the stores see it: DynamoDB's model of items under a partition key and a sort key, with conditions
 * as data. Three adapters implement it, and one contract (`contract.system.test.ts`) tests all of them: `dynamodb.ts` in
 * the cloud, `lmdb.ts` on one machine, and `test/support/memory-table.ts` for tests.
 *
 * Every call has a deadline. It throws a `ServiceError`: `unavailable` when the database cannot be reached or has no space,
 * `busy` when too many other calls are waiting.
 */
import type { Condition, Scalar } from './condition.ts';
import type { Key, PREFIXES } from './rows.ts';

export type { Scalar } from './condition.ts';

/** One item: its key, and some attributes. Bodies are JSON text in one of them, because names cost capacity. */
export type Item = Key & Record<string, Scalar>;

export interface GetOptions {
  /** Sees every acknowledged write, for twice the read units. Default: may lack those of the last seconds. */
  consistent?: boolean;
  /** Attributes that are read beside the key; default: all. The cost is the same, but fewer rights may be enough. */
  attributes?: readonly string[];
}

export interface QueryOptions {
  consistent?: boolean;
  descending?: boolean;
  /** Items per page. */
  limit?: number;
  /** Starts after this sort key, which need not exist. */
  startAfter?: string;
}

/** A change of some attributes of an item, which is created if it does not exist. */
export interface Update {
  set?: Readonly<Record<string, Scalar>>;
  /** Attributes that are set only if they are absent. */
  setOnce?: Readonly<Record<string, Scalar>>;
  /** Numbers that are added to attributes; an absent one counts as 0. */
  add?: Readonly<Record<string, number>>;
  remove?: readonly string[];
}

/** A write that takes effect if its condition holds. */
export type Write = ({ put: Item } | { remove: Key }) & { condition?: Condition | undefined };

/** One write of a transaction, or a condition of an item that is not written. */
export type ConditionalWrite =
  | Write
  | { update: Key; by: Update; condition?: Condition | undefined }
  | { check: Key; condition: Condition };

/** A failed condition is no error: the methods that take one then return false, and have written nothing. */
export interface Table {
  /** The item, or null. It must not be modified. */
  get(key: Key, options?: GetOptions): Promise<Item | null>;
  /** The items that exist, in no order. */
  getAll(keys: readonly Key[], options?: { consistent?: boolean }): Promise<Item[]>;
  /**
   * Every item of a partition whose sort key has this prefix, ordered by the bytes of the sort key, page by page.
   * @param prefix null for every item
   */
  query(pk: string, prefix: string | null, options?: QueryOptions): AsyncGenerator<Item[]>;
  /** Writes a whole item. */
  put(item: Item, condition?: Condition): Promise<boolean>;
  update(key: Key, update: Update, condition?: Condition): Promise<boolean>;
  /** Deletes an item; without a condition, it need not exist. */
  remove(key: Key, condition?: Condition): Promise<boolean>;
  /** All of the writes or none. At most 100, of different items. */
  transact(writes: readonly ConditionalWrite[]): Promise<boolean>;
  /**
   * Makes any number of writes to different items, each if its condition holds, in no order and not atomically: when it
   * throws, some have been made.
   * @param writes read only as fast as they are made
   */
  bulk(writes: Iterable<Write>): Promise<void>;
  /** @throws when the table does not respond */
  ping(): Promise<void>;
  /** Closes its connections or files. */
  close(): Promise<void>;
}

/** Shape of the table, for `cdk` and the adapters. */
export const TABLE_SHAPE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

export const MAX_TRANSACTION_WRITES = 100;

export type Prefix = (typeof PREFIXES)[keyof typeof PREFIXES];

/** Every item of one kind in a partition, for kinds with few items. A strongly consistent read. */
export async function listItems(table: Pick<Table, 'query'>, pk: string, kind: Prefix | null): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of table.query(pk, kind, { consistent: true })) items.push(...page);
  return items;
}

/** The update that sets attributes to these values, and removes those that are null. */
export function setOrRemove(
  attributes: Readonly<Record<string, Scalar | null>>,
): Required<Pick<Update, 'set' | 'remove'>> {
  const entries = Object.entries(attributes);
  return {
    set: Object.fromEntries(entries.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    remove: entries.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}

/** Groups of at most `size`, made on demand. */
export function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    if (group.push(item) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** @returns the item @throws {TypeError} for a value that DynamoDB could not store, or not return unchanged */
export function requireStorable<T extends Readonly<Record<string, unknown>>>(item: T): T {
  for (const [name, value] of Object.entries(item)) {
    if (typeof value === 'string' || value instanceof Uint8Array) continue;
    if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) continue;
    throw new TypeError(`the attribute ${name} has a value that cannot be stored: ${typeof value}`);
  }
  return item;
}
