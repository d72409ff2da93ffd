import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHomeSite, unlimited } from '../api/access/first-access.ts';
import type { Context } from '../api/context/context.ts';
import { devicesGroup } from '../api/groups/devices.ts';
import { service } from '../api/http/service.ts';
import { aroundCalls } from '../test/support/database-calls.ts';
import { startTable, type TestTable } from '../test/test-table.ts';
import { makeToken, tokenId } from './access/token.ts';
import { fromAttributes } from './attribute-values.ts';
import type { Input } from './operations.ts';
import { openStores, type Stores } from './stores.ts';

const COLLECTION = 'S#home #META';
const now = () => new Date();
const log = { info: () => {}, warn: () => {}, error: () => {} };

let table: TestTable;
let stores: Stores;
let reads: string[];
/** Called before each read is sent. */
let onRead: (key: string) => Promise<void>;

beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table[Symbol.asyncDispose]());

beforeEach(async () => {
  stores = openStores(table.settings, now);
  const { client } = stores.table;
  await createHomeSite({ ...stores, now });
  reads = [];
  onRead = async () => {};
  aroundCalls(client, async ({ operation, input }, pass) => {
    if (operation === 'GetItem') {
      const { pk, sk } = fromAttributes((input as Input<'GetItem'>).Key);
      const key = `${pk} ${sk}`;
      reads.push(key);
      await onRead(key);
    }
    return pass();
  });
  return () => client.destroy();
});

async function addToken(): Promise<{ token: string; key: string }> {
  const token = makeToken();
  const id = tokenId(token) ?? '';
  await stores.tokens.add(id, unlimited(token, 'test', now()));
  return { token, key: `T#${id} T` };
}

/** As one process of the service. */
function openApi() {
  const settings = { version: 'test', corsOrigins: [] };
  const context = { ...stores, log, now, settings };
  const api = service(context as unknown as Context, devicesGroup.routes.devices);
  return async (token: string, path = '/devices/totals') => {
    reads.length = 0;
    return (await api.request(path, { headers: { authorization: `Bearer ${token}` } })).status;
  };
}

test('the collection is read while a token is looked up that was valid before, and once', async () => {
  const { token, key } = await addToken();
  const ask = openApi();
  expect(await ask(token)).toBe(200);
  expect(reads).toEqual([key, COLLECTION]);
  // The look-up of the token waits for the other read: this request would never end if they came one after the other.
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  onRead = async (read) => (read === COLLECTION ? begin() : begun);
  expect(await ask(token)).toBe(200);
  expect(reads.sort()).toEqual([COLLECTION, key]);
});

test('a token that was revoked since is refused, and one that was never valid makes nothing else be read', async () => {
  const { token, key } = await addToken();
  const ask = openApi();
  expect(await ask(token)).toBe(200);
  await stores.tokens.revoke(tokenId(token) ?? '');
  expect(await ask(token)).toBe(403);
  expect(await ask(token)).toBe(403);
  expect(reads).toEqual([key]);
  const stranger = makeToken();
  expect(await ask(stranger)).toBe(403);
  expect(reads).toEqual([`T#${tokenId(stranger)} T`]);
});

test('a known id with another secret makes nothing else be read', async () => {
  const { token, key } = await addToken();
  const ask = openApi();
  expect(await ask(token)).toBe(200);
  expect(await ask(`${token.slice(0, -4)}AAAA`)).toBe(403);
  expect(reads).toEqual([key]);
});

test('a site that does not exist is the same refusal, whether it was read ahead or not', async () => {
  const { token } = await addToken();
  const ask = openApi();
  expect(await ask(token, '/devices/totals?site=nowhere')).toBe(403);
  expect(await ask(token, '/devices/totals?site=nowhere')).toBe(403);
});
