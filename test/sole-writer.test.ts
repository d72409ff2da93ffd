/** One machine, where one process makes every write: what it has read it need not read again. */
import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentRequest } from '../store/capacity.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { makeTestFolder, type TestFolder } from './support/test-folder.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';
import { startTable } from './test-table.ts';

const run = promisify(execFile);
const csvOf = (count: number) =>
  `devMAC\n${Array.from({ length: count }, (_, i) => (0x1e0600000000 + i).toString(16).padStart(12, '0')).join('\n')}\n`;

let folder: TestFolder;
let program: string;
let system: TestSystem;
beforeAll(async () => {
  folder = makeTestFolder();
  [program, system] = await Promise.all([
    bundleProgram(join(import.meta.dirname, 'readers-main.ts'), folder.path),
    startTestSystem(),
  ]);
});
afterAll(async () => {
  await system.close();
  await folder.remove();
});

/** The calls to a database that requests make while `work` runs. */
async function callsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const count = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    const operation = request.getHeader('x-amz-target');
    if (operation !== undefined && currentRequest() !== null) calls.push(String(operation));
  };
  subscribe('http.client.request.start', count);
  await work().finally(() => unsubscribe('http.client.request.start', count));
  return calls;
}

test('the second request for the totals makes no call to the database; one after a write does, and shows it', async () => {
  const site = await system.addSite(csvOf(3));
  const totals = () => system.request('GET', '/devices/totals', { site });
  expect((await totals()).json).toEqual([3, 0, 0, 0, 0, 0]);
  expect(await callsDuring(totals)).toEqual([]);
  const path = '/devices/1E:06:00:00:00:00';
  expect((await system.request('PATCH', path, { site, body: { devFavorite: 1 } })).status).toBe(200);
  let changed: unknown;
  const calls = await callsDuring(async () => {
    changed = (await totals()).json;
  });
  expect(changed).toEqual([3, 0, 1, 0, 0, 0]);
  expect(calls).toEqual(['DynamoDB_20120810.GetItem']);
});

test('a token that is revoked is refused by the next request', async () => {
  const token = await system.createToken();
  const status = async () => (await system.request('GET', '/devices/totals', { token })).status;
  expect([await status(), await status()]).toEqual([200, 200]);
  const id = token.slice('lr_'.length).split('.')[0];
  expect((await system.request('DELETE', `/tokens/${id}`)).status).toBe(200);
  expect(await status()).toBe(403);
});

test.each([
  ['with another database, which others may write to', true],
  ['without the memory', false],
])('%s, each request for the totals makes two calls', async (_, elsewhere) => {
  await using table = await startTable();
  const environment = elsewhere ? { DYNAMODB_ENDPOINT: table.database.endpoint } : {};
  await using other = await startTestSystem(environment, elsewhere ? {} : { soleWriter: false });
  const totals = () => other.request('GET', '/devices/totals');
  await totals();
  for (let i = 0; i < 2; i++) {
    expect(await callsDuring(totals)).toEqual(Array(2).fill('DynamoDB_20120810.GetItem'));
  }
});

test('2,000 readers of the totals of 10,000 devices at once are all answered', async () => {
  const site = await system.addSite(csvOf(10_000));
  const url = `${system.system.url}/devices/totals`;
  // A token that has not been used: all of them find that its use must be recorded.
  const token = await system.createToken({ sites: [site] });
  const { stdout } = await run(process.execPath, [program, '2000', url, token]);
  expect(JSON.parse(stdout).statuses).toEqual({ 200: 2_000 });
});

test('2,000 readers of lists at once are answered in turns: nobody is refused, and nobody overtakes another', async () => {
  const site = await system.addSite(csvOf(100));
  const token = await system.createToken({ sites: [site], scopes: ['devices:read'] });
  const url = `${system.system.url}/devices?sort=-mac&limit=5`;
  const { stdout } = await run(process.execPath, [program, '2000', url, token, '2']);
  const { statuses, ahead } = JSON.parse(stdout) as { statuses: object; ahead: number };
  expect(statuses).toEqual({ 200: 6_000 });
  // One may be answered once more while the answer to another one is on its way.
  expect(ahead).toBeLessThanOrEqual(2);
});
