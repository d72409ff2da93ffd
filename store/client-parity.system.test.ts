/** The embedded engine gives the same answers and errors to the AWS SDK's client and to ours, whatever they ask. */
import * as sdk from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { embedded, startTable, type TestTable } from '../test/test-table.ts';
import { type Attributes, toAttributes } from './attribute-values.ts';
import { Client } from './client.ts';
import { DynamoDBError } from './dynamodb-error.ts';
import type { Input, Operation } from './operations.ts';
import { createTable, Table } from './table.ts';

let engine: TestTable;
let ours: Client;
let theirs: sdk.DynamoDBClient;
beforeAll(async () => {
  engine = await startTable();
  const { endpoint } = engine.settings;
  ours = new Client(engine.settings);
  theirs = new sdk.DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
afterAll(async () => {
  ours.destroy();
  theirs.destroy();
  await engine[Symbol.asyncDispose]();
});

const COMMANDS = {
  GetItem: sdk.GetItemCommand,
  PutItem: sdk.PutItemCommand,
  UpdateItem: sdk.UpdateItemCommand,
  DeleteItem: sdk.DeleteItemCommand,
  Query: sdk.QueryCommand,
  Scan: sdk.ScanCommand,
  BatchGetItem: sdk.BatchGetItemCommand,
  BatchWriteItem: sdk.BatchWriteItemCommand,
  TransactWriteItems: sdk.TransactWriteItemsCommand,
} as const;

type Call = { [Name in keyof typeof COMMANDS]: { operation: Name; input: Input<Name> } }[keyof typeof COMMANDS];

/** Stands for the name of the table. */
const TABLE = 'the-table';

/** As JSON of DynamoDB, in which bytes are base64. The SDK adds `$metadata`. */
function plain(output: object, table: string): unknown {
  const text = JSON.stringify(output, (name, value) => {
    if (name === '$metadata') return undefined;
    return name === 'B' && typeof value === 'object'
      ? Buffer.from(Object.values<number>(value)).toString('base64')
      : value;
  });
  return JSON.parse(text.replaceAll(table, TABLE));
}

async function askOurs({ operation, input }: Call, table: string) {
  try {
    const named = JSON.parse(JSON.stringify(input).replaceAll(TABLE, table));
    return plain(await ours.call(operation as Operation, named), table);
  } catch (error) {
    if (!(error instanceof DynamoDBError)) throw error;
    const { name, message, $fault, cancellationReasons } = error;
    return { name, message: message.replaceAll(table, TABLE), $fault, cancellationReasons };
  }
}

async function askTheirs({ operation, input }: Call, table: string) {
  const named = JSON.parse(JSON.stringify(input).replaceAll(TABLE, table), (name, value) =>
    name === 'B' ? new Uint8Array(Buffer.from(value, 'base64')) : value,
  );
  try {
    const Command = COMMANDS[operation] as new (input: object) => sdk.GetItemCommand;
    return plain(await theirs.send(new Command(named)), table);
  } catch (error) {
    if (!(error instanceof sdk.DynamoDBServiceException)) throw error;
    const { name, message, $fault } = error;
    const reasons = error instanceof sdk.TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
    return {
      name,
      message: message.replaceAll(table, TABLE),
      $fault,
      cancellationReasons: reasons.map(({ Code = '' }) => Code),
    };
  }
}

// An empty sort key is one of the things that the engine refuses.
const key = fc
  .record({ pk: fc.constantFrom('a', 'b'), sk: fc.constantFrom('', 'x', 'y', 'z') })
  .map((values): Attributes => toAttributes(values));
const values = fc.record({
  n: fc.integer({ min: 0, max: 2 }),
  text: fc.string({ unit: 'binary', maxLength: 20 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
});
const item = fc.tuple(key, values).map(([of, more]): Attributes => ({ ...of, ...toAttributes(more) }));
const condition = fc.constantFrom<object>(
  {},
  {},
  { ConditionExpression: 'attribute_exists(pk)' },
  { ConditionExpression: 'attribute_not_exists(pk)' },
  {
    ConditionExpression: '#n = :n',
    ExpressionAttributeNames: { '#n': 'n' },
    ExpressionAttributeValues: toAttributes({ ':n': 1 }),
  },
  { ConditionExpression: 'this is no condition' },
);
const inTable = { TableName: TABLE };
const METERED = { ReturnConsumedCapacity: 'INDEXES' } as const;
const unlike = (items: Attributes[]) =>
  items.filter(
    (one, at) => items.findIndex(({ pk, sk }) => JSON.stringify([pk, sk]) === JSON.stringify([one.pk, one.sk])) === at,
  );

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(key, fc.boolean()).map(([Key, ConsistentRead]) => ({
    operation: 'GetItem' as const,
    input: { ...inTable, ...METERED, Key, ConsistentRead },
  })),
  fc.tuple(item, condition).map(([Item, when]) => ({
    operation: 'PutItem' as const,
    input: { ...inTable, ...METERED, Item, ...when },
  })),
  fc.tuple(key, fc.integer({ min: 0, max: 2 })).map(([Key, n]) => ({
    operation: 'UpdateItem' as const,
    input: {
      ...inTable,
      ...METERED,
      Key,
      UpdateExpression: 'SET #text = :text ADD #n :n',
      ConditionExpression: 'attribute_not_exists(#n) OR #n <= :n',
      ExpressionAttributeNames: { '#text': 'text', '#n': 'n' },
      ExpressionAttributeValues: toAttributes({ ':text': 'updated', ':n': n }),
    },
  })),
  fc.tuple(key, condition).map(([Key, when]) => ({
    operation: 'DeleteItem' as const,
    input: { ...inTable, ...METERED, Key, ...when },
  })),
  fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3 })).map(([ScanIndexForward, Limit]) => ({
    operation: 'Query' as const,
    input: {
      ...inTable,
      ...METERED,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: toAttributes({ ':pk': 'a' }),
      ConsistentRead: true,
      ScanIndexForward,
      Limit, // Zero is refused.
    },
  })),
  fc.array(key, { maxLength: 5 }).map((Keys) => ({
    operation: 'BatchGetItem' as const,
    input: { ...METERED, RequestItems: { [TABLE]: { Keys, ConsistentRead: true } } },
  })),
  fc.array(item, { maxLength: 5 }).map((items) => ({
    operation: 'BatchWriteItem' as const,
    input: { ...METERED, RequestItems: { [TABLE]: items.map((Item) => ({ PutRequest: { Item } })) } },
  })),
  fc.tuple(fc.array(item, { minLength: 1, maxLength: 4 }), condition, fc.nat()).map(([items, when, n]) => ({
    operation: 'TransactWriteItems' as const,
    input: {
      ...METERED,
      ClientRequestToken: `${TABLE}-${n}`, // Tokens are those of all tables.
      TransactItems: unlike(items).map((Item, at) => ({ Put: { ...inTable, Item, ...(at === 0 ? when : {}) } })),
    },
  })),
);

test('whatever is asked in whatever order', async () => {
  const seen = new Set<string>();
  let tables = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 40 }), async (calls) => {
      const names = [`ours-${++tables}`, `theirs-${tables}`] as const;
      for (const name of names) await createTable(new Table(embedded(engine.settings.endpoint, name)));
      for (const one of calls) {
        const [mine, other] = await Promise.all([askOurs(one, names[0]), askTheirs(one, names[1])]);
        expect(mine, JSON.stringify(one)).toEqual(other);
        seen.add(String((mine as { name?: string }).name ?? one.operation));
      }
    }),
    { numRuns: 10, endOnFailure: true },
  );
  expect([...seen].sort()).toEqual([
    'BatchGetItem',
    'BatchWriteItem',
    'ConditionalCheckFailedException',
    'DeleteItem',
    'GetItem',
    'PutItem',
    'Query',
    'TransactWriteItems',
    'TransactionCanceledException',
    'UpdateItem',
    'ValidationException',
  ]);
});

test('a table that does not exist', async () => {
  const get: Call = {
    operation: 'GetItem',
    input: { ...inTable, Key: toAttributes({ pk: 'a', sk: 'b' }), ConsistentRead: true },
  };
  const mine = await askOurs(get, 'nowhere');
  expect(mine).toEqual(await askTheirs(get, 'nowhere'));
  expect(mine).toMatchObject({ name: 'ResourceNotFoundException', $fault: 'client' });
});
