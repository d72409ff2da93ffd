/** The table in DynamoDB, by the AWS SDK, which signs the calls and retries them when DynamoDB throttles or is unreachable. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { ServiceError } from '../../shared/errors.ts';
import { backOff } from './back-off.ts';
import { conditionInput, projectionInput, updateInput } from './expression.ts';
import { isOutage } from './outage.ts';
import { addConsumed } from './request-cost.ts';
import { type Key, rows } from './rows.ts';
import { type Item, inGroups, requireStorable, TABLE_SHAPE, type Table } from './table.ts';

export interface DynamoDbSettings {
  tableName: string;
  region: string;
  /** Another DynamoDB than the one of the region, such as DynamoDB Local. */
  endpoint?: string;
  /** Default: where the SDK finds them. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

/** Items per page. Fixed, because read units are rounded up for each page. */
const PAGE_ITEMS = 4000;
const BATCH_READ_ITEMS = 100; // The service's limit for BatchGetItem.
/** Writes of one bulk at a time, so that other calls get their turns. */
const BULK_AT_ONCE = 32;
/** Attempts at a batch of which a part was not processed, and at a transaction that conflicted with another write. */
const ATTEMPTS = 8;
/** Calls at a time, and how many others may wait for their turn. */
const AT_ONCE = 50;
const MAX_WAITING = 4_000;
/** Of a call with all its attempts. */
const CALL_WITHIN_MS = 12_000;
const ACTIVE_WITHIN_MS = 60_000;

interface Consumed {
  CapacityUnits?: number | undefined;
}

/** @param client for tests, which inspect its calls or answer them */
export function openDynamoDbTable(settings: DynamoDbSettings, client = dynamoDbClient(settings)): Table {
  const { tableName: TableName } = settings;
  const documents = DynamoDBDocumentClient.from(client);
  const turns = pLimit(AT_ONCE);
  const METERED = { ReturnConsumedCapacity: 'TOTAL' } as const;

  /** Makes a call. @throws {ServiceError} `unavailable` or `busy`; rethrows other errors */
  async function call<T extends { ConsumedCapacity?: Consumed | Consumed[] | undefined }>(
    kind: 'read' | 'write',
    send: (options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    if (turns.pendingCount >= MAX_WAITING) {
      const message = 'The database has more calls than it can answer; try again later';
      throw new ServiceError('busy', message, { retryAfter: 2 });
    }
    try {
      const answer = await turns(() => send({ abortSignal: AbortSignal.timeout(CALL_WITHIN_MS) }));
      for (const { CapacityUnits = 0 } of [answer.ConsumedCapacity ?? []].flat()) addConsumed(kind, CapacityUnits);
      return answer;
    } catch (error) {
      if (!isOutage(error)) throw error;
      const message = 'The database cannot be reached at the moment';
      throw new ServiceError('unavailable', message, { cause: error, retryAfter: 2 });
    }
  }

  /** @returns false when a condition does not hold */
  async function conditional(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      if (nameOf(error) === 'ConditionalCheckFailedException') return false;
      if (wasCancelledFor(error, 'ConditionalCheckFailed')) return false;
      throw error;
    }
  }

  async function getBatch(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
    const items: Item[] = [];
    let pending: Record<string, unknown>[] = keys.map(keyOf);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const RequestItems = { [TableName]: { Keys: pending, ConsistentRead: consistent } };
      const input = { RequestItems, ...METERED };
      const answer = await call('read', (options) => documents.send(new BatchGetCommand(input), options));
      items.push(...((answer.Responses?.[TableName] ?? []) as Item[]));
      pending = answer.UnprocessedKeys?.[TableName]?.Keys ?? [];
      if (pending.length === 0) return items;
      await backOff(attempt);
    }
    throw new ServiceError('unavailable', 'The database is too busy to read so many items', { retryAfter: 5 });
  }

  const put: Table['put'] = (item, condition) =>
    conditional(async () => {
      const command = new PutCommand({
        TableName,
        Item: requireStorable(item),
        ...conditionInput(condition),
        ...METERED,
      });
      return call('write', (options) => documents.send(command, options));
    });

  const remove: Table['remove'] = (key, condition) =>
    conditional(async () => {
      const command = new DeleteCommand({ TableName, Key: keyOf(key), ...conditionInput(condition), ...METERED });
      return call('write', (options) => documents.send(command, options));
    });

  return {
    async get(key, { consistent = false, attributes } = {}) {
      const input = { TableName, Key: keyOf(key), ConsistentRead: consistent, ...projectionInput(attributes) };
      const command = new GetCommand({ ...input, ...METERED });
      const { Item: item } = await call('read', (options) => documents.send(command, options));
      return (item as Item | undefined) ?? null;
    },

    async getAll(keys, { consistent = false } = {}) {
      const items: Item[] = [];
      for (const group of inGroups(keys, BATCH_READ_ITEMS)) items.push(...(await getBatch(group, consistent)));
      return items;
    },

    async *query(pk, prefix, { consistent = false, descending = false, limit = PAGE_ITEMS, startAfter } = {}) {
      const hasPrefix = prefix !== null && prefix !== '';
      let from: Record<string, unknown> | undefined = startAfter === undefined ? undefined : { pk, sk: startAfter };
      do {
        const command: QueryCommand = new QueryCommand({
          TableName,
          KeyConditionExpression: hasPrefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
          ExpressionAttributeValues: { ':pk': pk, ...(hasPrefix ? { ':prefix': prefix } : {}) },
          ConsistentRead: consistent,
          ScanIndexForward: !descending,
          Limit: limit,
          ExclusiveStartKey: from,
          ...METERED,
        });
        const page = await call('read', (options) => documents.send(command, options));
        yield (page.Items ?? []) as Item[];
        from = page.LastEvaluatedKey;
      } while (from !== undefined);
    },

    put,
    update: (key, update, condition) =>
      conditional(async () => {
        requireStorable({ ...update.set, ...update.setOnce });
        const input = { TableName, Key: keyOf(key), ...updateInput(update, condition) };
        const command = new UpdateCommand({ ...input, ...METERED });
        return call('write', (options) => documents.send(command, options));
      }),

    remove,
    transact: (writes) =>
      conditional(async () => {
        const TransactItems = writes.map((write) => {
          if ('update' in write) {
            requireStorable({ ...write.by.set, ...write.by.setOnce });
            const { UpdateExpression = '', ...update } = updateInput(write.by, write.condition);
            return { Update: { TableName, Key: keyOf(write.update), UpdateExpression, ...update } };
          }
          const input = { TableName, ...conditionInput(write.condition) };
          if ('put' in write) return { Put: { Item: requireStorable(write.put), ...input } };
          if ('remove' in write) return { Delete: { Key: keyOf(write.remove), ...input } };
          const check = { Key: keyOf(write.check), ...input, ConditionExpression: input.ConditionExpression };
          return { ConditionCheck: check };
        });
        // The SDK adds a token, so that a transaction that it retries does not fail by its own first effect.
        const command = new TransactWriteCommand({ TransactItems, ...METERED });
        for (let attempt = 0; ; attempt++) {
          try {
            return await call('write', (options) => documents.send(command, options));
          } catch (error) {
            if (!wasCancelledFor(error, 'TransactionConflict') || attempt + 1 >= ATTEMPTS) throw error;
            await backOff(attempt);
          }
        }
      }),

    async bulk(writes) {
      const all = writes[Symbol.iterator]();
      let hasFailed = false;
      const writeSome = async () => {
        try {
          for (let next = all.next(); !next.done && !hasFailed; next = all.next()) {
            const { condition, ...write } = next.value;
            await ('put' in write ? put(write.put, condition) : remove(write.remove, condition));
          }
        } catch (error) {
          hasFailed = true;
          throw error;
        }
      };
      const ended = await Promise.allSettled(Array.from({ length: BULK_AT_ONCE }, writeSome));
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },

    async ping() {
      await this.get(rows.probe());
    },

    async close() {
      documents.destroy();
      client.destroy();
    },
  };
}

/** Creates the table if it does not exist, and waits until it is active. In the cloud the stack creates it. */
export async function createTable(settings: DynamoDbSettings): Promise<void> {
  const client = dynamoDbClient(settings);
  const { tableName: TableName } = settings;
  const { partitionKey, sortKey, timeToLive } = TABLE_SHAPE;
  try {
    if ((await tableStatus(client, TableName)) !== null) return;
    await client.send(
      new CreateTableCommand({
        TableName,
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
    const end = performance.now() + ACTIVE_WITHIN_MS;
    while ((await tableStatus(client, TableName)) !== 'ACTIVE') {
      if (performance.now() > end) throw new Error(`The table ${TableName} is not active after ${ACTIVE_WITHIN_MS} ms`);
      await sleep(1_000);
    }
    const TimeToLiveSpecification = { AttributeName: timeToLive, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  } finally {
    client.destroy();
  }
}

function dynamoDbClient({ region, endpoint, credentials }: Omit<DynamoDbSettings, 'tableName'>): DynamoDBClient {
  return new DynamoDBClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    // With back-off, the attempts fit into CALL_WITHIN_MS.
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
}

/** Null if there is no such table. */
async function tableStatus(client: DynamoDBClient, TableName: string): Promise<string | null> {
  try {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName }));
    return table?.TableStatus ?? '';
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}

const keyOf = ({ pk, sk }: Key): Record<string, string> => ({ pk, sk });

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

function wasCancelledFor(error: unknown, reason: string): boolean {
  if (nameOf(error) !== 'TransactionCanceledException') return false;
  const { CancellationReasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return CancellationReasons.some(({ Code }) => Code === reason);
}
