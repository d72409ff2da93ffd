/** Tokens in the table: what it costs to list and to revoke one among many, and how many may descend from one. */
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { admin } from '../../shared/api/admin.ts';
import { MAX_DESCENDANTS } from '../../shared/api/records.ts';
import { Command } from '../../shared/tools/list.ts';
import { aroundCalls } from '../../test/support/database-calls.ts';
import { memoryTable } from '../../test/test-table.ts';
import type { Context } from '../context.ts';
import { accessGroup } from '../groups/access.ts';
import { service } from '../http/service.ts';
import { makeToken, tokenId } from '../http/token.ts';
import { openStores } from '../stores.ts';
import type { Table } from '../table/table.ts';
import { rootTokenRow } from './first-access.ts';
import { type StoredToken, tokenRows } from './token-row.ts';
import { openTokenStore } from './token-store.ts';

const NO_PEOPLE = { find: async () => null };
const NOW = new Date('2026-11-01T08:15:00.000Z');
const SILENT = { info() {}, warn() {}, error() {} };

const among = memoryTable();

const idOf = (i: number) => i.toString(16).padStart(16, '0');
const row = (changes: Partial<StoredToken> = {}) => ({ ...rootTokenRow(makeToken(), 'x', NOW), ...changes });

/** Names of the calls that are made of a table from now on. */
function recorded(table: Table): string[] {
  const calls: string[] = [];
  aroundCalls(table, ({ method }, pass) => {
    calls.push(method);
    return pass();
  });
  return calls;
}

/** The API's part for administration over the table, with the requests of a token that may do everything. */
async function openApi() {
  const token = makeToken();
  const now = () => new Date();
  const stores = openStores(among.open(), now);
  await stores.tokens.add(tokenId(token)!, rootTokenRow(token, 'test', NOW));
  const calls = recorded(stores.table);
  const rest = { log: SILENT, now, settings: { version: 'test', corsOrigins: [] } };
  const app = service({ ...stores, ...rest } as unknown as Context, accessGroup.routes.admin);
  return {
    stores,
    /** @returns the answer, and which calls of the table it took */
    async request(method: string, path: string) {
      calls.length = 0;
      const response = await app.request(path, { method, headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(200);
      return { json: await response.json(), calls: calls.slice() };
    },
  };
}

test('among 300 tokens a list takes one query and one batch after the check of the caller, and a revocation as many as among two', async () => {
  const api = await openApi();
  const { table } = api.stores;
  await api.request('GET', '/tokens'); // Its use is noted once.
  const rows = Array.from({ length: 299 }, (_, i) => tokenRows.put(idOf(i), row({ sites: ['home'] }))).flat();
  await table.bulk(rows.slice(0, 2));
  const among2 = await api.request('DELETE', `/tokens/${idOf(0)}`);
  // The caller's token, the token, its end; the commands of its one site, in one page, and that there is no more; the audit.
  expect(among2.calls).toEqual(['get', 'get', 'transact', 'query', 'query', 'put']);

  await table.bulk(rows);
  const listed = await api.request('GET', '/tokens');
  expect(admin.listTokens.response.parse(listed.json).tokens).toHaveLength(300);
  expect(listed.calls).toEqual(['get', 'query', 'query', 'getAll']);
  expect((await api.request('DELETE', `/tokens/${idOf(298)}`)).calls).toEqual(among2.calls);
});

test('a revocation says when it does not name all commands that may go on', async () => {
  const api = await openApi();
  const { jobs, sites, tokens, table } = api.stores;
  for (const id of ['cabin', 'shed']) await sites.add({ id, name: id, createdAt: NOW.toISOString() });
  const [actor, other] = ['e'.repeat(16), 'f'.repeat(16)];
  const command = Command.parse({ tool: 'nmap', target: '127.0.0.1', mode: 'fast' });
  for (const [site, count, by] of [['cabin', 101, actor] as const, ['shed', 1, other] as const]) {
    const job = { agent: `${site}:main`, command, actor: by, sourceAddress: null };
    for (let i = 0; i < count; i++) await jobs.create({ id: `${site}.${uuidv7()}`, ...job });
  }
  for (const id of [actor, other]) await tokens.add(id, row());
  const revoke = async (id: string) =>
    admin.revokeToken.response.parse((await api.request('DELETE', `/tokens/${id}`)).json);
  const many = await revoke(actor);
  expect([many.running.length, many.truncated]).toEqual([100, true]);
  expect(await revoke(other)).toMatchObject({ running: [expect.stringMatching(/^shed\./)], truncated: false });

  await tokens.add(other, row());
  aroundCalls(table, ({ method }, pass) => {
    if (method === 'query') throw new Error('no answer');
    return pass();
  });
  expect(await revoke(other)).toEqual({ success: true, running: [], truncated: true });
  expect(await tokens.find(other)).toBeNull();
});

test('however many tokens are made at once, no more descend from one than may', async () => {
  const tokens = openTokenStore(among.open(), NO_PEOPLE, () => NOW);
  const ancestor = 'a'.repeat(16);
  const ids = Array.from({ length: MAX_DESCENDANTS + 60 }, (_, i) => idOf(0xdd0000 + i));
  const left = [...ids];
  const made: string[] = [];
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      await tokens.add(id, row({ sites: ['home'], ancestor })).then(
        () => made.push(id),
        (error) => expect(error).toMatchObject({ code: 'conflict' }),
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const listed = (await tokens.list()).filter(({ id }) => ids.includes(id));
  expect(listed.map(({ id }) => id)).toEqual(made.sort());
  expect(made).toHaveLength(MAX_DESCENDANTS);
});
