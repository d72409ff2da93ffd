/** What the table makes of the service's answers, from a service that stands where the network would be. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { metered } from './capacity.ts';
import { noAnswer } from './dynamodb-error.ts';
import { type Item, Table, type Write } from './table.ts';

type Keys = Record<string, { S: string }>;
/** Of the calls that are made here, as the service gets them. */
interface Input {
  RequestItems: { items: { Keys: Keys[] } & { PutRequest?: { Item: Keys }; DeleteRequest?: { Key: Keys } }[] };
  TransactItems: { Put?: { Item: Keys }; Delete?: { Key: Keys } }[];
  ClientRequestToken?: string;
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

function openTable(bulkWrites: 'batch' | 'transactions', soleWriter = false): Table {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test', sessionToken: null };
  const opened = new Table({
    tableName: 'items',
    endpoint: 'http://service.invalid',
    region: 'test',
    credentials: () => credentials,
    bulkWrites,
    soleWriter,
  });
  opened.client.exchange = async (operation, body) => {
    const input: Input = JSON.parse(body);
    calls.push({ operation, input });
    const answer = service(operation, input, calls.length - 1);
    if (answer instanceof Error) throw answer;
    return { status: answer.status ?? 200, date: '', body: JSON.stringify(answer.body) };
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
  'a bulk change by %s: all writes once, %i a call, each of which is told beforehand',
  async (way, size, operation) => {
    table = openTable(way);
    let told = 0;
    const toldBefore: number[] = [];
    service = () => {
      toldBefore.push(told);
      return { body: {} };
    };
    await table.bulk(puts(610), async () => void told++);
    const sizes = calls.map(({ input }) => (input.TransactItems ?? input.RequestItems.items).length);
    expect(new Set(calls.map((call) => call.operation))).toEqual(new Set([operation]));
    expect(Math.max(...sizes)).toBe(size);
    const names = calls.flatMap((call) =>
      call.input.TransactItems ? call.input.TransactItems.map(({ Put }) => Put?.Item.sk?.S) : written(call),
    );
    expect(names.sort()).toEqual(numbered(610, (n) => `item ${n}`).sort());
    expect(told).toBe(Math.ceil(610 / size));
    expect(toldBefore.every((count, i) => count > i)).toBe(true);
  },
);

test('a bulk change that fails has no write under way any more', async () => {
  service = () => ({ body: {} });
  let groups = 0;
  const beforeAttempt = async () => {
    if (++groups === 4) throw new Error('the lease is lost');
    await setImmediate();
  };
  await expect(table.bulk(puts(610), beforeAttempt)).rejects.toThrow('the lease is lost');
  const sent = calls.length;
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect(calls).toHaveLength(sent);
});

test.each(['batch', 'transactions'] as const)(
  'a bulk change by %s sends nothing again once its lease is lost',
  async (way) => {
    table = openTable(way);
    service = (operation, { RequestItems }) =>
      operation === 'BatchWriteItem' ? { body: { UnprocessedItems: RequestItems } } : cancelled('TransactionConflict');
    const count = way === 'batch' ? 5 : 30;
    const keepLease = async () => {
      if (calls.length === 2) throw new Error('the lease is lost');
    };
    await expect(table.bulk(puts(count), keepLease)).rejects.toThrow('the lease is lost');
    expect(calls).toHaveLength(2);
  },
);

test('a bulk change whose transaction is refused is unavailable: it has no conditions that could fail', async () => {
  table = openTable('transactions');
  service = () => cancelled('None', 'ConditionalCheckFailed');
  await expect(table.bulk(puts(30), noWait)).rejects.toMatchObject({ code: 'unavailable' });
});

test('only a transaction that could fail by its own first effect has a token, which costs the engine much', async () => {
  table = openTable('transactions');
  service = () => ({ body: {} });
  await table.bulk(puts(30), noWait);
  await table.transact([{ put: key(1) as Item }]);
  expect(calls.map(({ input }) => input.ClientRequestToken !== undefined)).toEqual([false, true]);
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

test.each<[string, Answer | Error]>([
  ['answers that it is overloaded', fault('ProvisionedThroughputExceededException')],
  ['answers that it is throttled', fault('ThrottlingException')],
  ['has an error of its own', fault('InternalServerError', {}, 500)],
  ['cannot be reached', noAnswer('connect ECONNREFUSED')],
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

/** The writes of a sole writer that concern an item, by default item 1. */
const WRITES: [string, (table: Table, item?: Item) => Promise<unknown>][] = [
  ['put', (table, item = key(1)) => table.put(item)],
  ['update', (table, item = key(1)) => table.update(item, { set: { d: 'x' } })],
  ['remove', (table, item = key(1)) => table.remove(item)],
  ['transaction', (table, item = key(1)) => table.transact([{ put: key(0) }, { remove: item }])],
  ['bulk change', (table, item = key(1)) => table.bulk([{ put: key(0) }, { put: item }], noWait)],
];

test.each(WRITES)(
  'a sole writer reads a row once, and again after a %s of it, also one that was refused',
  async (name, write) => {
    const sole = openTable('batch', true);
    const reads = async () => {
      calls = [];
      for (let i = 0; i < 3; i++) expect(await sole.get(key(1), { consistent: i === 1 })).toEqual(key(1));
      return calls.length;
    };
    const ok = { body: { Item: stored(1), UnprocessedItems: {} } };
    service = () => ok;
    expect([await reads(), await reads()]).toEqual([1, 0]);
    await write(sole);
    // What a row is after a put that succeeded is known.
    expect([await reads(), await reads()]).toEqual([name === 'put' ? 0 : 1, 0]);
    service = (operation) => (operation === 'GetItem' ? ok : fault('ValidationException'));
    await expect(write(sole)).rejects.toThrow();
    expect([await reads(), await reads()]).toEqual([1, 0]);
    sole.client.destroy();
  },
);

const agent = (name: string) => ({ pk: 'S#home', sk: `A#${name}` });
const itemOf = ({ pk, sk }: Item): Keys => ({ pk: { S: pk }, sk: { S: sk } });

test.each(WRITES)('a sole writer reads a list once, and again after a %s of one of its items', async (_, write) => {
  const sole = openTable('batch', true);
  let stored = [agent('a')];
  service = (operation) =>
    operation === 'Query' ? { body: { Items: stored.map(itemOf) } } : { body: { UnprocessedItems: {} } };
  const list = () => sole.list('S#home', 'A#');
  const first = await list();
  expect(first).toEqual(stored);
  expect(first.every(Object.isFrozen)).toBe(true);
  for (const other of [
    { pk: 'S#home', sk: 'D#a' },
    { pk: 'S#home', sk: '#META' },
    { pk: 'S#other', sk: 'A#a' },
  ]) {
    await write(sole, other);
    expect(await list()).toBe(first);
  }
  stored = [agent('a'), agent('b')];
  await write(sole, agent('b'));
  expect(await list()).toEqual(stored);
  service = () => noAnswer('time-out');
  await expect(write(sole, agent('b'))).rejects.toThrow();
  service = () => ({ body: { Items: [] } });
  calls = [];
  for (let i = 0; i < 3; i++) expect(await list()).toEqual([]);
  expect(calls).toHaveLength(3);
  sole.client.destroy();
});

test('whoever is not the sole writer reads a list each time, with every write', async () => {
  service = () => ({ body: { Items: [itemOf(agent('a'))] } });
  for (let i = 0; i < 2; i++) expect(await table.list('S#home', 'A#')).toEqual([agent('a')]);
  expect(calls).toMatchObject(Array(2).fill({ operation: 'Query', input: { ConsistentRead: true } }));
});

test.each([
  ['a write without an answer', 3, 'rejected'],
  ['a write that was repeated and then made', 1, 'fulfilled'],
])('after %s, a sole writer reads the row each time, for it may be made once more', async (_, failures, status) => {
  for (const [, write] of WRITES) {
    const sole = openTable('batch', true);
    service = (operation, _input, n) => {
      if (operation === 'GetItem') return { body: { Item: stored(1) } };
      return n < failures ? noAnswer('time-out') : { body: {} };
    };
    await sole.get(key(1));
    calls = [];
    expect((await Promise.allSettled([write(sole)]))[0].status).toBe(status);
    calls = [];
    for (let i = 0; i < 3; i++) await sole.get(key(1));
    expect(calls).toHaveLength(3);
    sole.client.destroy();
  }
});

test('a sole writer asks the table whether it answers, and for single attributes, and reads each row with every write', async () => {
  const sole = openTable('batch', true);
  service = (_, input) => ({ body: 'ProjectionExpression' in input ? { Item: stored(1) } : {} });
  for (let i = 0; i < 2; i++) await sole.ping();
  for (let i = 0; i < 2; i++) await sole.get(key(1), { attributes: ['d'] });
  await sole.get(key(1));
  expect(calls).toHaveLength(5);
  expect(calls.at(-1)?.input).toMatchObject({ ConsistentRead: true });
  sole.client.destroy();
});
