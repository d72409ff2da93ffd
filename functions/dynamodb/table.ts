/**
 * The one table, and every kind of call that is made to it, with the document client of the AWS SDK. The SDK is not
 * used outside this folder.
 *
 * All calls have a deadline, are retried by the SDK with jitter when the service is throttled or unreachable, and
 * record the capacity that they consume. A call that still fails throws a `ServiceError` `unavailable`.
 */
import type { Agent } from 'node:http';
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceNotFoundException,
  TransactionCanceledException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { ServiceError } from '../../shared/errors.ts';
import { backOff } from '../retry/back-off.ts';
import { isOutage } from '../retry/outage.ts';
import { addConsumed } from './capacity.ts';
import {
  type Condition,
  conditionInput,
  projectionInput,
  type Scalar,
  type Update,
  updateInput,
} from './expression.ts';
import { type Key, rows } from './rows.ts';
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

export interface TableSettings {
  tableName: string;
  /** Another DynamoDB than the one of the AWS region, such as the embedded engine. */
  endpoint?: string;
  region?: string;
  /** Opens the connections, if the endpoint cannot be reached over the network of this process. */
  httpAgent?: Agent;
  /** If they do not come from the environment in the usual ways of the SDK. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  /**
   * How bulk writes are sent. `batch` costs one write unit per item. `transactions` costs two, but takes an eighth of
   * the time with the embedded engine, which syncs to disk once per transaction, or once per item of a batch.
   */
  bulkWrites: 'batch' | 'transactions';
  /** Seals the rows that grant rights, and ignores those without a valid seal; for a table that others can write to. */
  seal?: SealSettings;
  /** Called after a single item was put, as a stream of the table would tell of it; it must not throw. */
  onPut?(key: Key): void;
}

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

/** Items per page. Fixed, because read units are rounded up for each page. */
const PAGE_ITEMS = 4000;
const BATCH_READ_ITEMS = 100; // The service's limit for BatchGetItem.
const BATCH_ITEMS = 25; // The service's limit for BatchWriteItem.
const TRANSACTION_ITEMS = 100; // The service's limit for TransactWriteItems.
const BULK_PARALLEL = 4;
const ATTEMPTS = 8;

/**
 * A logger without `info`: if there is one, the SDK copies every input and output for it without the sensitive parts,
 * even for its default logger, which discards them. That takes a third of the time of reading a collection.
 */
const NO_LOG = { trace() {}, debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>;

export class Table {
  /** The client under `documents`, with the same connections. */
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  readonly name: string;
  readonly #bulkWrites: TableSettings['bulkWrites'];
  readonly #seal: SealSettings | null;
  readonly #onPut: (key: Key) => void;

  constructor(settings: TableSettings) {
    this.name = settings.tableName;
    this.#bulkWrites = settings.bulkWrites;
    this.#seal = settings.seal ?? null;
    this.#onPut = (key) => settings.onPut?.(key);
    this.client = new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: {
        connectionTimeout: settings.httpAgent === undefined ? 1_000 : 3_000, // Through another process, which takes longer.
        requestTimeout: 3_000,
        throwOnRequestTimeout: true,
        ...(settings.httpAgent === undefined ? {} : { httpAgent: settings.httpAgent }),
      },
      logger: NO_LOG,
      ...(settings.region === undefined ? {} : { region: settings.region }),
      ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint }),
      ...(settings.credentials === undefined ? {} : { credentials: settings.credentials }),
    });
    this.documents = DynamoDBDocumentClient.from(this.client);
  }

  /** The item, or null. Strongly consistent reads cost twice as much and see every write that was acknowledged. */
  async get(key: Key, { consistent = false, attributes }: GetOptions = {}): Promise<Item | null> {
    const input = { TableName: this.name, Key: key, ConsistentRead: consistent, ...projectionInput(attributes) };
    const answer = await this.#call(() =>
      this.documents.send(new GetCommand({ ...input, ReturnConsumedCapacity: 'INDEXES' })),
    );
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
        ? { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } }
        : {
            KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: { ':pk': pk, ':prefix': sortKeyPrefix },
          };
    let from: Record<string, unknown> | undefined = startAfter === undefined ? undefined : { pk, sk: startAfter };
    do {
      const start = from;
      const page = await this.#call(() =>
        this.documents.send(
          new QueryCommand({
            TableName: this.name,
            ...ofPrefix,
            ConsistentRead: consistent,
            ScanIndexForward: !descending,
            Limit: limit,
            ExclusiveStartKey: start,
            ReturnConsumedCapacity: 'INDEXES',
          }),
        ),
      );
      addConsumed('read', page.ConsumedCapacity);
      yield this.#read(page.Items ?? []);
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  }

  /** Writes a whole item. @returns false, without a write, when the condition does not hold */
  async put(item: Item, condition: Condition = {}): Promise<boolean> {
    const input = { TableName: this.name, Item: this.#withSeal(item), ...conditionInput(condition) };
    const isPut = await this.#conditional(async () => {
      const answer = await this.documents.send(new PutCommand({ ...input, ReturnConsumedCapacity: 'INDEXES' }));
      addConsumed('write', answer.ConsumedCapacity);
    });
    // Also when it is there already: the first of two calls may have put it, and its answer was lost.
    this.#onPut({ pk: item.pk, sk: item.sk });
    return isPut;
  }

  /** Changes some attributes of an item. @returns false, without a change, when the condition does not hold */
  async update(key: Key, { sealed = {}, ...update }: SealedUpdate): Promise<boolean> {
    const set = { ...update.set, ...this.#sealOf(key, sealed) };
    const input = { TableName: this.name, Key: key, ...updateInput({ ...update, set }) };
    return this.#conditional(async () => {
      const answer = await this.documents.send(new UpdateCommand({ ...input, ReturnConsumedCapacity: 'INDEXES' }));
      addConsumed('write', answer.ConsumedCapacity);
    });
  }

  /** Deletes an item. @returns false, without deleting it, when the condition does not hold */
  async remove(key: Key, condition: Condition = {}): Promise<boolean> {
    const input = { TableName: this.name, Key: key, ...conditionInput(condition) };
    return this.#conditional(async () => {
      const answer = await this.documents.send(new DeleteCommand({ ...input, ReturnConsumedCapacity: 'INDEXES' }));
      addConsumed('write', answer.ConsumedCapacity);
    });
  }

  /** All of the writes or none. @returns false when a condition does not hold. At most 100 writes. */
  async transact(writes: ConditionalWrite[]): Promise<boolean> {
    const TableName = this.name;
    const items = writes.map((write) => {
      const input = { TableName, ...conditionInput(write.expression ?? {}) };
      if ('put' in write) return { Put: { Item: this.#withSeal(write.put), ...input } };
      if ('remove' in write) return { Delete: { Key: write.remove, ...input } };
      return { ConditionCheck: { Key: write.check, ...input } };
    }) as TransactWriteCommandInput['TransactItems'];
    return this.#conditional(() => this.#sendTransaction(items));
  }

  /**
   * Makes any number of writes to different items, in no order and not atomically: when it throws, some have been made.
   * @param beforeRound awaited before some of them are sent
   */
  async bulk(writes: readonly Write[], beforeRound: () => Promise<void>): Promise<void> {
    const inTransactions = this.#bulkWrites === 'transactions' && writes.length > BATCH_ITEMS;
    const size = inTransactions ? TRANSACTION_ITEMS : BATCH_ITEMS;
    for (let at = 0; at < writes.length; at += size * BULK_PARALLEL) {
      await beforeRound();
      const round = Array.from({ length: BULK_PARALLEL }, (_, i) => writes.slice(at + i * size, at + (i + 1) * size));
      await Promise.all(
        round
          .filter((group) => group.length > 0)
          .map((group) => (inTransactions ? this.#writeTransaction(group) : this.#writeBatch(group))),
      );
    }
  }

  /** Whether the table answers. */
  async ping(): Promise<void> {
    await this.get(rows.probe());
  }

  async #getBatch(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
    const items: Item[] = [];
    let pending: Record<string, unknown>[] = keys.map((key) => ({ ...key }));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const RequestItems = { [this.name]: { Keys: pending, ConsistentRead: consistent } };
      const answer = await this.#call(() =>
        this.documents.send(new BatchGetCommand({ RequestItems, ReturnConsumedCapacity: 'INDEXES' })),
      );
      addConsumed('read', answer.ConsumedCapacity);
      items.push(...this.#read(answer.Responses?.[this.name] ?? []));
      pending = answer.UnprocessedKeys?.[this.name]?.Keys ?? [];
      if (pending.length === 0) return items;
      await backOff(attempt);
    }
    throw new ServiceError('unavailable', 'The database is too busy to read so many items', { retryAfter: 5 });
  }

  async #writeTransaction(group: Write[]): Promise<void> {
    const done = await this.transact(group);
    if (!done) throw new ServiceError('unavailable', 'The database could not make all writes of a bulk change');
  }

  async #writeBatch(group: Write[]): Promise<void> {
    let requests: WriteRequests = group.map((write) =>
      'put' in write ? { PutRequest: { Item: this.#withSeal(write.put) } } : { DeleteRequest: { Key: write.remove } },
    );
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const pending = requests;
      const answer = await this.#call(() =>
        this.documents.send(
          new BatchWriteCommand({ RequestItems: { [this.name]: pending }, ReturnConsumedCapacity: 'INDEXES' }),
        ),
      );
      addConsumed('write', answer.ConsumedCapacity);
      requests = answer.UnprocessedItems?.[this.name] ?? [];
      if (requests.length === 0) return;
      await backOff(attempt);
    }
    throw new ServiceError('unavailable', 'The database is too busy for a bulk change', { retryAfter: 5 });
  }

  /** The items that were read, without those whose seal is missing or invalid. */
  #read(found: Record<string, unknown>[]): Item[] {
    const items = found as Item[];
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

  /** Retries a transaction that conflicted with another write of one of its items, which the SDK does not do. */
  async #sendTransaction(items: TransactWriteCommandInput['TransactItems']): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await this.documents.send(
          new TransactWriteCommand({ TransactItems: items, ReturnConsumedCapacity: 'INDEXES' }),
        );
        addConsumed('write', answer.ConsumedCapacity);
        return;
      } catch (error) {
        const collided = error instanceof TransactionCanceledException && hasReason(error, 'TransactionConflict');
        if (!collided || attempt + 1 >= ATTEMPTS) throw error;
        await backOff(attempt);
      }
    }
  }

  async #conditional(send: () => Promise<void>): Promise<boolean> {
    try {
      await this.#call(send);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      if (error instanceof TransactionCanceledException && hasReason(error, 'ConditionalCheckFailed')) return false;
      throw error;
    }
  }

  /** Semaphore an outage into a `ServiceError`; other errors, such as for a malformed expression, are rethrown. */
  async #call<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (isOutage(error)) {
        throw new ServiceError('unavailable', 'The database cannot be reached at the moment', {
          cause: error,
          retryAfter: 2,
        });
      }
      throw error;
    }
  }
}

function hasReason(error: TransactionCanceledException, code: string): boolean {
  return error.CancellationReasons?.some((reason) => reason.Code === code) ?? false;
}

/** Creates the table if it does not exist, and waits until it is active. In the cloud the stack creates it instead. */
export async function createTable({ client, name }: Table): Promise<void> {
  try {
    await client.send(new DescribeTableCommand({ TableName: name }));
    return;
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  const { partitionKey, sortKey, timeToLive } = TABLE_SHAPE;
  await client.send(
    new CreateTableCommand({
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
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName: name });
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
    }),
  );
}
