/**
 * The one table, and every kind of call that is made to it, with the client in `client.ts`.
 *
 * All calls have a deadline, are retried by the client with jitter when the service is throttled or unreachable, and
 * record the capacity that they consume. A call that still fails throws a `ServiceError` `unavailable`; one for which
 * there is no room among the others, `busy`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../shared/errors.ts';
import { type Attributes, fromAttributes, type Scalar, toAttributes } from './attribute-values.ts';
import { backOff } from './back-off.ts';
import { addConsumed } from './capacity.ts';
import { Client, type ClientSettings } from './client.ts';
import { DynamoDBError } from './dynamodb-error.ts';
import { type Condition, conditionInput, projectionInput, type Update, updateInput } from './expression.ts';
import type { Input, Output, TransactItem, WriteRequest } from './operations.ts';
import { DISK_IS_FULL, isFullDisk, isOutage } from './outage.ts';
import { PointMemory } from './point-memory.ts';
import { type Key, type PREFIXES, rows } from './rows.ts';
import { isSealed, SEAL, type SealSettings, sealOf } from './seal.ts';

/** One item: its key, and a handful of attributes. Bodies are JSON text in one of them, because names cost capacity. */
export type Item = Key & Record<string, Scalar>;

export interface SealedUpdate extends Update {
  /**
   * For an update of attributes that grant rights (see `seal.ts`): the values of all of these after it. The condition
   * must ensure that the ones that are not updated have these values.
   */
  sealed?: Record<string, Scalar>;
}

export interface GetOptions {
  consistent?: boolean;
  /** Those that are read beside the key; without it, all. What is read costs the same, but may need fewer rights. */
  attributes?: readonly string[];
}

export interface QueryOptions {
  consistent?: boolean;
  descending?: boolean;
  /** Items per page. */
  limit?: number;
  startAfter?: string;
}

/** One write of a bulk change. */
export type Write = { put: Item } | { remove: Key };

/** One write of a transaction, with its condition; or a condition of an item that is not written. */
export type ConditionalWrite = (Write & { expression?: Condition }) | { check: Key; expression: Condition };

/** Shape of the table, for `cdk` and for the embedded engine. */
export const TABLE_SHAPE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

export interface TableSettings extends ClientSettings {
  tableName: string;
  /**
   * How bulk writes are sent. `batch` costs one write unit per item. `transactions` costs two, but takes an eighth of
   * the time with the embedded engine, which syncs to disk once per transaction, or once per item of a batch.
   */
  bulkWrites: 'batch' | 'transactions';
  /** Seals the rows that grant rights, and ignores those without a valid seal; for a table that others can write to. */
  seal?: SealSettings;
  /**
   * Whether every write of the table is made by this process, and through this one `Table`: then it answers `get` and
   * `list` from memory where it can. Default: no, as in the cloud, where each function runs many times at once.
   */
  soleWriter?: boolean;
  /** Called after a single item was put, as a stream of the table would tell of it; it must not throw. */
  onPut?(key: Key): void;
}

type Prefix = (typeof PREFIXES)[keyof typeof PREFIXES];

/** All items of one kind in a partition. Its sort key is the prefix of theirs. */
interface List extends Key {
  items: readonly Item[];
}

interface Memory {
  items: PointMemory<Item>;
  lists: PointMemory<List>;
}

type WriteOperation = 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'BatchWriteItem' | 'TransactWriteItems';

/** Items per page. Fixed, because read units are rounded up for each page. */
const PAGE_ITEMS = 4000;
const BATCH_READ_ITEMS = 100; // The service's limit for BatchGetItem.
const BATCH_ITEMS = 25; // The service's limit for BatchWriteItem.
const TRANSACTION_ITEMS = 100; // The service's limit for TransactWriteItems.
const BULK_PARALLEL = 4;
const ATTEMPTS = 8;
const ACTIVE_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 1_000;

export class Table {
  readonly client: Client;
  readonly name: string;
  readonly #bulkWrites: TableSettings['bulkWrites'];
  readonly #seal: SealSettings | null;
  readonly #onPut: (key: Key) => void;
  /** Null unless this is the sole writer. */
  readonly #memory: Memory | null;

  constructor(settings: TableSettings) {
    this.name = settings.tableName;
    this.#bulkWrites = settings.bulkWrites;
    this.#seal = settings.seal ?? null;
    this.#onPut = (key) => settings.onPut?.(key);
    this.#memory = settings.soleWriter ? { items: new PointMemory(), lists: new PointMemory() } : null;
    this.client = new Client(settings);
  }

  /** Whether `get` and `list` answer from memory where they can. */
  get isSoleWriter(): boolean {
    return this.#memory !== null;
  }

  /**
   * The item, or null. Strongly consistent reads cost twice as much and see every write that was acknowledged. The item
   * must not be changed: as sole writer, others get the same object.
   */
  async get(key: Key, options: GetOptions = {}): Promise<Item | null> {
    if (this.#memory === null || options.attributes !== undefined) return this.#get(key, options);
    return this.#memory.items.read(key, () => this.#get(key, { consistent: true }));
  }

  async #get(key: Key, { consistent = false, attributes }: GetOptions): Promise<Item | null> {
    const input = {
      TableName: this.name,
      Key: keyAttributes(key),
      ConsistentRead: consistent,
      ...projectionInput(attributes),
    };
    const answer = await this.#call(() => this.client.call('GetItem', { ...input, ReturnConsumedCapacity: 'INDEXES' }));
    addConsumed('read', answer.ConsumedCapacity);
    return answer.Item === undefined ? null : (this.#read([answer.Item])[0] ?? null);
  }

  /** The items that exist, in no order; a hundred per call. */
  async getAll(keys: readonly Key[], { consistent = false } = {}): Promise<Item[]> {
    const items: Item[] = [];
    for (let at = 0; at < keys.length; at += BATCH_READ_ITEMS) {
      items.push(...(await this.#getBatch(keys.slice(at, at + BATCH_READ_ITEMS), consistent)));
    }
    return items;
  }

  /**
   * Every item of a partition whose sort key has this prefix, ordered by sort key, page by page.
   * @param sortKeyPrefix null for every item
   * @param options.startAfter starts after this sort key, which need not exist
   */
  async *query(pk: string, sortKeyPrefix: string | null, options: QueryOptions = {}): AsyncGenerator<Item[]> {
    const { consistent = false, descending = false, limit = PAGE_ITEMS, startAfter } = options;
    const ofPrefix =
      sortKeyPrefix === null
        ? { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: toAttributes({ ':pk': pk }) }
        : {
            KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: toAttributes({ ':pk': pk, ':prefix': sortKeyPrefix }),
          };
    let from: Attributes | undefined = startAfter === undefined ? undefined : toAttributes({ pk, sk: startAfter });
    do {
      const start = from;
      const page = await this.#call(() =>
        this.client.call('Query', {
          TableName: this.name,
          ...ofPrefix,
          ConsistentRead: consistent,
          ScanIndexForward: !descending,
          Limit: limit,
          ExclusiveStartKey: start,
          ReturnConsumedCapacity: 'INDEXES',
        }),
      );
      addConsumed('read', page.ConsumedCapacity);
      yield this.#read(page.Items ?? []);
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  }

  /**
   * Every item of one kind in a partition, for kinds of which there are few, ordered by sort key. A strongly consistent
   * read. Neither the list nor its items may be changed: as sole writer, others get the same objects.
   */
  async list(pk: string, kind: Prefix): Promise<readonly Item[]> {
    const read = async () => {
      const items: Item[] = [];
      for await (const page of this.query(pk, kind, { consistent: true })) items.push(...page);
      return items;
    };
    if (this.#memory === null) return read();
    const found = await this.#memory.lists.read({ pk, sk: kind }, async () => {
      const items = await read();
      for (const item of items) Object.freeze(item);
      return items.length === 0 ? null : { pk, sk: kind, items };
    });
    return found?.items ?? [];
  }

  /** Writes a whole item. @returns false, without a write, when the condition does not hold */
  async put(item: Item, condition: Condition = {}): Promise<boolean> {
    const whole = this.#withSeal(item);
    const input = { TableName: this.name, Item: toAttributes(whole), ...conditionInput(condition) };
    const isPut = await this.#conditional(() => this.#write([item], 'PutItem', input, whole));
    // Also when it is there already: the first of two calls may have put it, and its answer was lost.
    this.#onPut({ pk: item.pk, sk: item.sk });
    return isPut;
  }

  /** Changes some attributes of an item. @returns false, without a change, when the condition does not hold */
  async update(key: Key, { sealed = {}, ...update }: SealedUpdate): Promise<boolean> {
    const set = { ...update.set, ...this.#sealOf(key, sealed) };
    const input = { TableName: this.name, Key: keyAttributes(key), ...updateInput({ ...update, set }) };
    return this.#conditional(() => this.#write([key], 'UpdateItem', input));
  }

  /** Deletes an item. @returns false, without deleting it, when the condition does not hold */
  async remove(key: Key, condition: Condition = {}): Promise<boolean> {
    const input = { TableName: this.name, Key: keyAttributes(key), ...conditionInput(condition) };
    return this.#conditional(() => this.#write([key], 'DeleteItem', input));
  }

  /** All of the writes or none. @returns false when a condition does not hold. At most 100 writes. */
  async transact(writes: ConditionalWrite[]): Promise<boolean> {
    return this.#transact(writes, async () => {}, true);
  }

  /**
   * @param isOnce whether the transaction must not take effect a second time when the client sends it again, because an
   *   answer was lost: its own first effect would make its conditions fail. For a transaction without conditions, a token
   *   is of little use, and makes it take half as long again with the embedded engine, which forms a digest of all items.
   */
  async #transact(writes: ConditionalWrite[], beforeAttempt: () => Promise<void>, isOnce: boolean): Promise<boolean> {
    const TableName = this.name;
    const items = writes.map((write): TransactItem => {
      const input = { TableName, ...conditionInput(write.expression ?? {}) };
      if ('put' in write) return { Put: { Item: toAttributes(this.#withSeal(write.put)), ...input } };
      if ('remove' in write) return { Delete: { Key: keyAttributes(write.remove), ...input } };
      return { ConditionCheck: { Key: keyAttributes(write.check), ...input } };
    });
    const written = writes.flatMap((write) => ('put' in write ? [write.put] : 'remove' in write ? [write.remove] : []));
    return this.#conditional(() => this.#sendTransaction(items, written, beforeAttempt, isOnce));
  }

  /**
   * Makes any number of writes to different items, in no order and not atomically: when it throws, some have been made.
   * @param writes read only as fast as they are sent
   * @param beforeAttempt awaited before each attempt to send a group of writes
   */
  async bulk(writes: Iterable<Write> & { readonly length: number }, beforeAttempt: () => Promise<void>): Promise<void> {
    const inTransactions = this.#bulkWrites === 'transactions' && writes.length > BATCH_ITEMS;
    const groups = groupsOf(writes, inTransactions ? TRANSACTION_ITEMS : BATCH_ITEMS);
    const sendGroups = async () => {
      // When it throws, it ends the iterator, and so the others send no more.
      for (const group of groups) {
        await (inTransactions ? this.#writeTransaction(group, beforeAttempt) : this.#writeBatch(group, beforeAttempt));
      }
    };
    // All have ended before it throws: what is written late might replace what somebody else has written since.
    const ended = await Promise.allSettled(Array.from({ length: BULK_PARALLEL }, sendGroups));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Whether the table answers. */
  async ping(): Promise<void> {
    await this.get(rows.probe());
  }

  async #getBatch(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
    const items: Item[] = [];
    let pending = keys.map(keyAttributes);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const RequestItems = { [this.name]: { Keys: pending, ConsistentRead: consistent } };
      const answer = await this.#call(() =>
        this.client.call('BatchGetItem', { RequestItems, ReturnConsumedCapacity: 'INDEXES' }),
      );
      addConsumed('read', answer.ConsumedCapacity);
      items.push(...this.#read(answer.Responses?.[this.name] ?? []));
      pending = answer.UnprocessedKeys?.[this.name]?.Keys ?? [];
      if (pending.length === 0) return items;
      await backOff(attempt);
    }
    throw new ServiceError('unavailable', 'The database is too busy to read so many items', { retryAfter: 5 });
  }

  async #writeTransaction(group: Write[], beforeAttempt: () => Promise<void>): Promise<void> {
    const done = await this.#transact(group, beforeAttempt, false);
    if (!done) throw new ServiceError('unavailable', 'The database could not make all writes of a bulk change');
  }

  async #writeBatch(group: Write[], beforeAttempt: () => Promise<void>): Promise<void> {
    let requests = group.map((write): WriteRequest => {
      if ('put' in write) return { PutRequest: { Item: toAttributes(this.#withSeal(write.put)) } };
      return { DeleteRequest: { Key: keyAttributes(write.remove) } };
    });
    const written = group.map((write) => ('put' in write ? write.put : write.remove));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const input = { RequestItems: { [this.name]: requests } };
      await beforeAttempt();
      const answer = await this.#call(() => this.#write(written, 'BatchWriteItem', input));
      requests = answer.UnprocessedItems?.[this.name] ?? [];
      if (requests.length === 0) return;
      await backOff(attempt);
    }
    throw new ServiceError('unavailable', 'The database is too busy for a bulk change', { retryAfter: 5 });
  }

  /** The items that were read, without those whose seal is missing or invalid. */
  #read(found: Attributes[]): Item[] {
    const items = found.map((attributes) => fromAttributes(attributes) as Item);
    const seal = this.#seal;
    if (seal === null) return items;
    return items.filter((item) => {
      if (isSealed(seal.key, item)) return true;
      seal.onRefused({ pk: item.pk, sk: item.sk });
      return false;
    });
  }

  #withSeal(item: Item): Item {
    return { ...item, ...this.#sealOf(item, item) };
  }

  /** The seal that a row with these attributes needs, if any. */
  #sealOf(key: Key, attributes: Record<string, Scalar>): Record<string, string> {
    const seal = this.#seal === null ? null : sealOf(this.#seal.key, key, attributes);
    return seal === null ? {} : { [SEAL]: seal };
  }

  /** Retries a transaction that conflicted with another write of one of its items, which the client does not do. */
  async #sendTransaction(
    items: TransactItem[],
    written: readonly Key[],
    beforeAttempt: () => Promise<void>,
    isOnce: boolean,
  ): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await beforeAttempt();
      try {
        const token = isOnce ? { ClientRequestToken: randomUUID() } : {};
        await this.#write(written, 'TransactWriteItems', { TransactItems: items, ...token });
        return;
      } catch (error) {
        const collided = wasCancelledFor(error, 'TransactionConflict');
        if (!collided || attempt + 1 >= ATTEMPTS) throw error;
        await backOff(attempt);
      }
    }
  }

  /**
   * Makes one call that writes these items.
   * @param whole the item, if it is a single one and all of it is written
   */
  async #write<Name extends WriteOperation>(
    written: readonly Key[],
    operation: Name,
    input: Input<Name>,
    whole: Item | null = null,
  ): Promise<Output<Name>> {
    const send = (onDoubt?: () => void) =>
      this.client.call(operation, { ...input, ReturnConsumedCapacity: 'INDEXES' }, onDoubt);
    const answer = await (this.#memory === null ? send() : this.#remember(this.#memory, written, send, whole));
    addConsumed('write', answer.ConsumedCapacity);
    return answer;
  }

  /** Makes a call that writes these items, and so the lists to which they belong. */
  #remember<Answer>(
    { items, lists }: Memory,
    written: readonly Key[],
    send: (onDoubt: () => void) => Promise<Answer>,
    whole: Item | null,
  ): Promise<Answer> {
    const sendBoth = (onDoubt: () => void) =>
      lists.write(listsOf(written), (alsoOnDoubt) =>
        send(() => {
          onDoubt();
          alsoOnDoubt();
        }),
      );
    return items.write(written, sendBoth, whole);
  }

  async #conditional(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await this.#call(send);
      return true;
    } catch (error) {
      if (wasRefusedAs(error, 'ConditionalCheckFailedException')) return false;
      if (wasCancelledFor(error, 'ConditionalCheckFailed')) return false;
      throw error;
    }
  }

  /** Turns an outage into a `ServiceError`; other errors, such as for a malformed expression, are rethrown. */
  async #call<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (isOutage(error)) {
        const [message, retryAfter] = isFullDisk(error)
          ? [DISK_IS_FULL, 30]
          : ['The database cannot be reached at the moment', 2];
        throw new ServiceError('unavailable', message, { cause: error, retryAfter });
      }
      throw error;
    }
  }
}

/** The lists to which items belong. The prefix of a sort key ends with its first `#`. */
function listsOf(keys: readonly Key[]): Key[] {
  const lists = new Map<string, Key>();
  for (const { pk, sk } of keys) {
    const prefix = sk.slice(0, sk.indexOf('#') + 1);
    if (prefix !== '') lists.set(`${pk}\n${prefix}`, { pk, sk: prefix });
  }
  return [...lists.values()];
}

function* groupsOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    if (group.push(item) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function keyAttributes({ pk, sk }: Key): Attributes {
  return toAttributes({ pk, sk });
}

function wasRefusedAs(error: unknown, name: string): error is DynamoDBError {
  return error instanceof DynamoDBError && error.name === name;
}

function wasCancelledFor(error: unknown, reason: string): boolean {
  return wasRefusedAs(error, 'TransactionCanceledException') && error.cancellationReasons.includes(reason);
}

/** Creates the table if it does not exist, and waits until it is active. In the cloud the stack creates it instead. */
export async function createTable({ client, name }: Table): Promise<void> {
  if ((await tableStatus(client, name)) !== null) return;
  const { partitionKey, sortKey, timeToLive } = TABLE_SHAPE;
  await client.call('CreateTable', {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: partitionKey, AttributeType: 'S' },
      { AttributeName: sortKey, AttributeType: 'S' },
    ],
  });
  const end = Date.now() + ACTIVE_WITHIN_MS;
  while ((await tableStatus(client, name)) !== 'ACTIVE') {
    if (Date.now() > end)
      throw new Error(`The table ${name} was created, but is not active after ${ACTIVE_WITHIN_MS} ms`);
    await sleep(LOOK_EVERY_MS);
  }
  await client.call('UpdateTimeToLive', {
    TableName: name,
    TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
  });
}

/** Null if there is no such table. */
async function tableStatus(client: Client, name: string): Promise<string | null> {
  try {
    const { Table: table } = await client.call('DescribeTable', { TableName: name });
    return table?.TableStatus ?? '';
  } catch (error) {
    if (wasRefusedAs(error, 'ResourceNotFoundException')) return null;
    throw error;
  }
}
