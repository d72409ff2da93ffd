/** What requests cost: calls, capacity units, bytes and messages, the same on any host. `npm run bench` has the times. */
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { csvOf, generateDevices } from '../bench/devices.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { testApi } from '../support/test-api.ts';

const DEVICES = 1_000;
/** The row of the token, and the row with the version of the collection. */
const TWO_READS = { calls: ['get', 'get'], consumed: { readUnits: 1.5, writeUnits: 0 } };

const system = testApi({ hasAgent: true });
/** Names of the calls of the table so far. */
const calls: string[] = [];
beforeAll(async () => {
  aroundCalls(system.context.table, ({ method }, pass) => {
    calls.push(method);
    return pass();
  });
  await system.importCsv(csvOf(generateDevices(DEVICES)));
  await system.request('GET', '/devices');
});

/** The calls of the table meanwhile. */
async function callsOf<T>(work: () => Promise<T>): Promise<{ done: T; calls: string[] }> {
  const before = calls.length;
  const done = await work();
  return { done, calls: calls.slice(before) };
}

test.each([
  ['totals', 'GET', '/devices/totals', undefined],
  ['the latest device', 'GET', '/devices/latest', undefined],
  ['devices by status', 'GET', '/devices/by-status?status=online', undefined],
  ['all devices', 'GET', '/devices', undefined],
  ['a page of devices', 'GET', '/devices?limit=10', undefined],
  ['a search', 'POST', '/devices/search', { query: '10.0.1.10' }],
  ['the topology', 'GET', '/devices/network/topology', undefined],
  ['an export', 'GET', '/devices/export?format=csv', undefined],
])('%s: two reads of one row each', async (_, method, path, body) => {
  const ask = () => system.measured(method, path, { body });
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
  expect([done.status, calls]).toEqual([403, ['get']]);
});

test('bytes: a list is sent compressed, and a device takes less than 30 of them', async () => {
  const { headers, body } = await system.rawGet('/devices', { 'accept-encoding': 'gzip' });
  expect(headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(body).toString()).devices).toHaveLength(DEVICES);
  expect(body.length / DEVICES).toBeLessThan(30);
});

test('a command: its token, its site with the agents, its job written, read for the result, written again; and three messages', async () => {
  const { published } = system.broker;
  const run = async () => {
    const before = published.length;
    expect((await system.request('GET', '/nettools/interfaces')).status).toBe(200);
    // The request, its acknowledgement and its result; and, after the answer, that this is stored.
    await expect.poll(() => published.length).toBe(before + 4);
    return published.slice(before).map(({ topic }) => /(?:req|result|ctl)$/.exec(topic)?.[0] ?? 'reply');
  };
  await run(); // Learns who asks, and of whom.
  const command = await callsOf(run);
  // A query has one page, and an end.
  expect(command.calls.sort()).toEqual(['get', 'get', 'get', 'put', 'query', 'query', 'update']);
  expect(command.done.filter((kind) => kind !== 'reply')).toEqual(['req', 'result', 'ctl']);
});
