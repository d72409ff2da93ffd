/** What the table makes of the service's answers, from a service that stands where the network would be. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { metered } from './capacity.ts';
import { type Item, Table, type Write } from './table.ts';

type Keys = Record<string, { S: string }>;
/** Of the calls that are made here, as the service gets them. */
interface Input {
  RequestItems: { items: { Keys: Keys[] } & { PutRequest?: { Item: Keys }; DeleteRequest?: { Key: Keys } }[] };
  TransactItems: { Put?: { Item: Keys }; Delete?: { Key: Keys } }[];
  ExclusiveStartKey?: Keys;
}
interface Answer {
  status?: number;
  body: object;
}

let table: Table;
let calls: { operation: string; input: Input }[];
/** Answers a call, the first one with `n` 0. */
let service: (operation: string, input: Input, n: number) => Answer | Error;

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0); // What is tried again is tried again at once.
  calls = [];
  table = openTable('batch');
});
afterEach(() => {
  vi.restoreAllMocks();
  table.client.destroy();
});

function openTable(bulkWrites: 'batch' | 'transactions'): Table {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const opened = new Table({
    tableName: 'items',
    endpoint: 'http://service.invalid',
    region: 'test',
    credentials,
    bulkWrites,
  });
  opened.client.config.requestHandler = {
    ...opened.client.config.requestHandler,
    async handle({ headers, body }) {
      const operation = headers['x-amz-target']?.split('.')[1] ?? '';
      const input: Input = JSON.parse(Buffer.from(body).toString());
      calls.push({ operation, input });
      const answer = service(operation, input, calls.length - 1);
      if (answer instanceof Error) throw answer;
      const type = { 'content-type': 'application/x-amz-json-1.0' };
      const text = Buffer.from(JSON.stringify(answer.body));
      return { response: { statusCode: answer.status ?? 200, headers: type, body: text } as never };
    },
  };
  return opened;
}

const fault = (name: string, more: object = {}, status = 400): Answer => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no', ...more },
});
const cancelled = (...codes: string[]) =>
  fault('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });
const key = (n: number) => ({ pk: 'p', sk: `item ${n}` });
const stored = (n: number): Keys => ({ pk: { S: 'p' }, sk: { S: `item ${n}` } });
const numbered = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const puts = (count: number): Write[] => numbered(count, (n) => ({ put: key(n) as Item }));
const written = ({ input }: { input: Input }) =>
  Object.values(input.RequestItems)
    .flat()
    .map(({ PutRequest }) => PutRequest?.Item.sk?.S);
const noWait = async () => {};
const units = (CapacityUnits: number) => ({ TableName: 'items', CapacityUnits });

test('items that the service has left out of a batch are asked for again, and only they', async () => {
  service = (_, { RequestItems }, n) => {
    const { Keys } = RequestItems.items;
    const [now, later] = n === 0 ? [Keys.slice(0, 2), Keys.slice(2)] : [Keys, []];
    const UnprocessedKeys = later.length === 0 ? {} : { items: { Keys: later } };
    return { body: { Responses: { items: now }, UnprocessedKeys, ConsumedCapacity: [units(now.length)] } };
  };
  const [items, consumed] = await metered(async (total) => [await table.getAll(numbered(5, key)), total] as const);
  expect(items).toEqual(numbered(5, key));
  expect(calls.map(({ input }) => input.RequestItems.items.Keys.length)).toEqual([5, 3]);
  expect(consumed).toEqual({ readUnits: 5, writeUnits: 0 });
});

test('more items than one call may read take several', async () => {
  service = (_, { RequestItems }) => ({ body: { Responses: { items: RequestItems.items.Keys } } });
  expect(await table.getAll(numbered(230, key))).toHaveLength(230);
  expect(calls.map(({ input }) => input.RequestItems.items.Keys.length)).toEqual([100, 100, 30]);
  expect(await table.getAll([])).toEqual([]);
  expect(calls).toHaveLength(3);
});

test('writes that the service has left out of a batch are sent again, and only they', async () => {
  service = (_, { RequestItems }, n) => {
    const UnprocessedItems = n === 0 ? { items: RequestItems.items.slice(1) } : {};
    return { body: { UnprocessedItems } };
  };
  await table.bulk(puts(3), noWait);
  expect(calls.map(written)).toEqual([
    ['item 0', 'item 1', 'item 2'],
    ['item 1', 'item 2'],
  ]);
});

test.each([
  ['read', () => table.getAll([key(1)])],
  ['written', () => table.bulk(puts(1), noWait)],
])(
  'a service that leaves everything out of each batch is unavailable when it is %s, after some tries',
  async (_, call) => {
    service = (operation, { RequestItems }) => ({
      body: operation === 'BatchGetItem' ? { UnprocessedKeys: RequestItems } : { UnprocessedItems: RequestItems },
    });
    await expect(call()).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
    expect(calls.length).toBeGreaterThan(3);
    expect(calls.length).toBeLessThan(20);
  },
);

test.each([
  ['batch', 25, 'BatchWriteItem'],
  ['transactions', 100, 'TransactWriteItems'],
] as const)(
  'a bulk change by %s: all writes once, %i a call, in rounds that are told beforehand',
  async (way, size, operation) => {
    table = openTable(way);
    service = () => ({ body: {} });
    const callsBefore: number[] = [];
    await table.bulk(puts(610), async () => void callsBefore.push(calls.length));
    const sizes = calls.map(({ input }) => (input.TransactItems ?? input.RequestItems.items).length);
    expect(new Set(calls.map((call) => call.operation))).toEqual(new Set([operation]));
    expect(Math.max(...sizes)).toBe(size);
    const names = calls.flatMap((call) =>
      call.input.TransactItems ? call.input.TransactItems.map(({ Put }) => Put?.Item.sk?.S) : written(call),
    );
    expect(names.sort()).toEqual(numbered(610, (n) => `item ${n}`).sort());
    const rounds = Array.from({ length: Math.ceil(610 / size / 4) }, (_, i) => i * 4);
    expect(callsBefore).toEqual(rounds);
  },
);

test('a bulk change whose transaction is refused is unavailable: it has no conditions that could fail', async () => {
  table = openTable('transactions');
  service = () => cancelled('None', 'ConditionalCheckFailed');
  await expect(table.bulk(puts(30), noWait)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a transaction that collided with another is sent again; one whose condition fails is not', async () => {
  service = (_operation, _input, n) => (n < 2 ? cancelled('None', 'TransactionConflict') : { body: {} });
  expect(await table.transact([{ put: key(1) as Item }, { remove: key(2) }])).toBe(true);
  expect(calls).toHaveLength(3);
  calls = [];
  service = () => cancelled('ConditionalCheckFailed', 'None');
  expect(await table.transact([{ put: key(1) as Item }, { remove: key(2) }])).toBe(false);
  expect(calls).toHaveLength(1);
});

test('a transaction that collides each time fails after some tries, and one that is wrong at once', async () => {
  service = () => cancelled('TransactionConflict');
  await expect(table.transact([{ put: key(1) as Item }])).rejects.toThrow();
  expect(calls.length).toBeLessThan(20);
  calls = [];
  service = () => cancelled('ValidationError');
  await expect(table.transact([{ put: key(1) as Item }])).rejects.toThrow();
  expect(calls).toHaveLength(1);
});

test.each([
  ['put', () => table.put(key(1) as Item)],
  ['update', () => table.update(key(1), { set: { name: 'x' } })],
  ['remove', () => table.remove(key(1))],
])('%s says whether its condition held', async (_, write) => {
  service = () => fault('ConditionalCheckFailedException');
  expect(await write()).toBe(false);
  expect(calls).toHaveLength(1);
  service = () => ({ body: {} });
  expect(await write()).toBe(true);
});

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
test.each<[string, Answer | Error]>([
  ['answers that it is overloaded', fault('ProvisionedThroughputExceededException')],
  ['answers that it is throttled', fault('ThrottlingException')],
  ['has an error of its own', fault('InternalServerError', {}, 500)],
  ['cannot be reached', refused],
])('a service that %s for a moment is asked again, and is unavailable when it goes on', async (_, failure) => {
  service = (_operation, _input, n) => (n === 0 ? failure : { body: { Item: stored(1) } });
  expect(await table.get(key(1))).toEqual(key(1));
  expect(calls).toHaveLength(2);
  service = () => failure;
  await expect(table.get(key(1))).rejects.toMatchObject({ code: 'unavailable', retryAfter: 2 });
});

test('a call that is wrong stays the error that it is, and is made once', async () => {
  service = () => fault('ValidationException');
  await expect(table.get(key(1))).rejects.toMatchObject({ name: 'ValidationException' });
  expect(calls).toHaveLength(1);
});

test('a query goes on where its last page ended, and asks for no page that nobody takes', async () => {
  service = (_, { ExclusiveStartKey }) => {
    const n = ExclusiveStartKey === undefined ? 0 : Number(ExclusiveStartKey.sk?.S.slice('item '.length)) + 1;
    return { body: { Items: [stored(n)], ...(n === 2 ? {} : { LastEvaluatedKey: stored(n) }) } };
  };
  const pages: Item[][] = [];
  for await (const page of table.query('p', 'item')) pages.push(page);
  expect(pages).toEqual([[key(0)], [key(1)], [key(2)]]);
  calls = [];
  for await (const _page of table.query('p', 'item')) break;
  expect(calls).toHaveLength(1);
});
