/**
 * What requests cost where each of them asks the database, as in the cloud: calls, capacity units and bytes. All of that is
 * the same on a fast host and on a slow one; `npm run bench` measures the times. The sizes of the functions stand in
 * `cdk/stack.system.test.ts`.
 */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvOf, generateDevices } from '../bench/devices.ts';
import { type WatchedDatabase, watchDatabase } from './lambda/watched-database.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';
import { memoryTable, type TestTable } from './test-table.ts';

const DEVICES = 1_000;
/** The row of the token, and the row with the version of the collection. */
const TWO_READS = { calls: ['GetItem', 'GetItem'], consumed: { readUnits: 1.5, writeUnits: 0 } };

let engine: TestTable;
let database: WatchedDatabase;
let system: TestSystem;
beforeAll(async () => {
  engine = memoryTable();
  database = await watchDatabase(engine.settings.endpoint);
  // With an endpoint of its own the server takes the database for one that others write to as well.
  system = await startTestSystem({ DYNAMODB_ENDPOINT: database.url });
  await system.importCsv(csvOf(generateDevices(DEVICES)));
  await system.request('GET', '/devices');
});
afterAll(async () => {
  await system?.close();
  await database?.[Symbol.asyncDispose]();
  await engine?.[Symbol.asyncDispose]();
});

/** What the database is asked for meanwhile. */
async function callsOf<T>(work: () => Promise<T>): Promise<{ done: T; calls: string[] }> {
  const before = database.calls.length;
  const done = await work();
  return { done, calls: database.calls.slice(before) };
}

test.each([
  ['totals', 'GET', '/devices/totals', undefined],
  ['the latest device', 'GET', '/devices/latest', undefined],
  ['devices by status', 'GET', '/devices/by-status?status=online', undefined],
  ['all devices', 'GET', '/devices', undefined],
  ['a search', 'POST', '/devices/search', { query: '10.0.1.10' }],
  ['the topology', 'GET', '/devices/network/topology', undefined],
  ['an export', 'GET', '/devices/export?format=csv', undefined],
])('%s: two reads of one row each', async (_, method, path, body) => {
  const ask = () => system.measured(method, path, { ...(body === undefined ? {} : { body }) });
  await ask(); // What is made for the first answer is kept.
  const { done, calls } = await callsOf(ask);
  expect(done.status).toBe(200);
  expect({ calls, consumed: done.consumed }).toEqual(TWO_READS);
});

test('an unchanged list: the same two reads, and no body', async () => {
  const { headers } = await system.rawGet('/devices', { 'accept-encoding': 'gzip' });
  const again = { 'accept-encoding': 'gzip', 'if-none-match': headers.etag ?? '' };
  const { done, calls } = await callsOf(() => system.measured('GET', '/devices', { headers: again }));
  expect(done.status).toBe(304);
  expect({ calls, consumed: done.consumed }).toEqual(TWO_READS);
  expect((await system.rawGet('/devices', again)).body).toHaveLength(0);
});

test('health asks the database for nothing', async () => {
  const { done, calls } = await callsOf(() => system.request('GET', '/health', { token: null }));
  expect([done.status, calls]).toEqual([200, []]);
});

test('a request with a wrong token: one read', async () => {
  const token = 'another-guess-of-a-token';
  const { done, calls } = await callsOf(() => system.request('GET', '/devices/totals', { token }));
  expect([done.status, calls]).toEqual([403, ['GetItem']]);
});

test('bytes: a list is sent compressed, and a device takes less than 30 of them', async () => {
  const { headers, body } = await system.rawGet('/devices', { 'accept-encoding': 'gzip' });
  expect(headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(body).toString()).devices).toHaveLength(DEVICES);
  expect(body.length / DEVICES).toBeLessThan(30);
});

test('a command: its token, its site with the agents, and its job: written, read for the result, written again', async () => {
  const run = async () => expect((await system.request('GET', '/nettools/interfaces')).status).toBe(200);
  const jobsDone = (calls: readonly string[]) => calls.filter((call) => call === 'UpdateItem').length;
  const from = database.calls.length;
  await run(); // Learns who asks, and of whom.
  await expect.poll(() => jobsDone(database.calls.slice(from))).toBe(1);
  const { calls } = await callsOf(async () => {
    const start = database.calls.length;
    // The result of a job is stored after the answer. What one of them does late would be found among those of the next.
    for (let done = 1; done <= 3; done++) {
      await run();
      await expect.poll(() => jobsDone(database.calls.slice(start))).toBe(done);
    }
  });
  const each = ['GetItem', 'GetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];
  expect([...calls].sort()).toEqual(each.flatMap((call) => [call, call, call]));
});
