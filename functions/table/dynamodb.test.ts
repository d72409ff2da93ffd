/** What DynamoDB answers only under load and over a bad network, which no emulator does. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { IS_NEW } from './condition.ts';
import { openDynamoDbTable } from './dynamodb.ts';
import { withRequestCost } from './request-cost.ts';
import type { Table } from './table.ts';

const KEY = { pk: 'S#home', sk: 'D#1' };
const TABLE = 'table';

/** What a call sends, as far as the tests look at it. */
interface Sent {
  operation: string;
  body: {
    ClientRequestToken?: string;
    ConditionExpression?: string;
    /** Of a batch: what it reads. */
    RequestItems?: Record<typeof TABLE, { Keys: unknown[] }>;
  };
}

const readBy = ({ body }: Sent) => body.RequestItems?.[TABLE] ?? { Keys: [] };

const failure = (name: string, more: object = {}) => ({ status: 400, json: { __type: `x#${name}`, ...more } });

/** A table of which the test answers each request; by default with nothing. */
function answeredBy(
  answer: (sent: Sent, n: number) => { status?: number; json: object } | Error | Promise<never> | null,
): { table: Table; sent: Sent[] } {
  const sent: Sent[] = [];
  const handle = async (request: { headers: Record<string, string>; body: Uint8Array }) => {
    const operation = request.headers['x-amz-target']?.split('.')[1] ?? '';
    const body = JSON.parse(new TextDecoder().decode(request.body));
    sent.push({ operation, body });
    const answered = await answer({ operation, body }, sent.length);
    if (answered instanceof Error) throw answered;
    const { status = 200, json } = answered ?? { json: {} };
    return { response: { statusCode: status, headers: {}, body: Buffer.from(JSON.stringify(json)) } };
  };
  const settings = { region: 'local', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
  const client = new DynamoDBClient({ ...settings, requestHandler: { handle } as never, maxAttempts: 2 });
  return { table: openDynamoDbTable({ ...settings, tableName: TABLE }, client), sent };
}

test('unprocessed keys are read again', async () => {
  // Of each request the first forty are read.
  const { table, sent } = answeredBy((one) => {
    const { Keys: requested } = readBy(one);
    const left = requested.slice(40);
    const json = { Responses: { [TABLE]: requested.slice(0, 40) } };
    return { json: left.length === 0 ? json : { ...json, UnprocessedKeys: { [TABLE]: { Keys: left } } } };
  });
  const keys = Array.from({ length: 130 }, (_, i) => ({ pk: `X#${i}`, sk: 'x' }));
  expect(await table.getAll(keys)).toEqual(keys);
  expect(sent.map((one) => readBy(one).Keys.length)).toEqual([100, 60, 20, 30]);
});

test('a bulk writes each item by itself, some at once, and no more after one has failed', async () => {
  const { table, sent } = answeredBy((_, n) => (n === 40 ? failure('ValidationException', {}) : null));
  const writes = Array.from({ length: 1_000 }, (_, i) => ({ put: { pk: `X#${i}`, sk: 'x' }, condition: IS_NEW }));
  await expect(table.bulk(writes)).rejects.toThrow();
  expect(sent.length).toBeLessThan(120);
  expect(sent.every(({ body }) => typeof body.ConditionExpression === 'string')).toBe(true);
});

test('a transaction that conflicts with another write is made again; one with a broken condition is not', async () => {
  const cancelled = (Code: string) => failure('TransactionCanceledException', { CancellationReasons: [{ Code }] });
  const { table, sent } = answeredBy((_, n) => (n < 3 ? cancelled('TransactionConflict') : null));
  expect(await table.transact([{ put: KEY }])).toBe(true);
  expect(sent).toHaveLength(3);
  const refused = answeredBy(() => cancelled('ConditionalCheckFailed'));
  expect(await refused.table.transact([{ put: KEY, condition: IS_NEW }])).toBe(false);
  expect(refused.sent).toHaveLength(1);
});

test('a transaction of which the answer was lost is sent again under the same token, so that it is made once', async () => {
  const lost = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  const { table, sent } = answeredBy((_, n) => (n === 1 ? lost : null));
  expect(await table.transact([{ put: KEY, condition: IS_NEW }])).toBe(true);
  const [first, second] = sent.map(({ body }) => body.ClientRequestToken);
  expect([first, sent.length]).toEqual([second, 2]);
  expect(first).toMatch(/./);
});

test.each([
  ['throttling', () => failure('ProvisionedThroughputExceededException')],
  ['a failure of the service', () => ({ status: 500, json: { __type: 'x#InternalServerError' } })],
  ['no connection', () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
])('%s that does not end is an outage; a request that is wrong is none', async (_, answer) => {
  await expect(answeredBy(answer).table.get(KEY)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 2 });
  const wrong = answeredBy(() => failure('ValidationException'));
  await expect(wrong.table.get(KEY)).rejects.toMatchObject({ name: 'ValidationException' });
  expect(wrong.sent).toHaveLength(1);
});

test('calls for which there is no turn are refused as busy, at once', async () => {
  const { table, sent } = answeredBy(() => new Promise<never>(() => {}));
  const waiting = Array.from({ length: 4_050 }, () => table.get(KEY).catch(() => {}));
  await new Promise(setImmediate);
  await expect(table.get(KEY)).rejects.toMatchObject({ code: 'busy', retryAfter: 2 });
  expect([sent.length, waiting.length]).toEqual([50, 4_050]);
});

test('what all calls of a request consume is added up', async () => {
  const { table } = answeredBy(({ operation }) => {
    const units = { TableName: TABLE, CapacityUnits: 2 };
    return { json: { ConsumedCapacity: operation === 'TransactWriteItems' ? [units] : units } };
  });
  const consumed = await withRequestCost(async (sum) => {
    await table.get(KEY);
    await table.transact([{ put: KEY }]);
    return sum;
  });
  expect(consumed).toEqual({ readUnits: 2, writeUnits: 2 });
});
