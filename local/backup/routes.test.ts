import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { service } from '../../functions/http/service.ts';
import type { TableSnapshot } from '../../functions/table/local-table.ts';
import { readBackup } from '../../shared/backup/read-backup.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { startTestApi, type TestApi } from '../../test/support/in-process.ts';
import { openMemoryTable } from '../../test/support/memory-table.ts';
import { type BackupParts, backupRoutes } from './routes.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let api: TestApi;
const folder = folderOfEachTest();
/** Snapshots that are open. */
let open = 0;

beforeEach(async () => {
  api = await startTestApi();
  open = 0;
});
afterEach(async () => {
  await api.close();
});

const data = () => ({
  path: folder.path,
  database: join(folder.path, 'lanreach.mdb'),
  tokenFile: join(folder.path, 'api-token'),
  authority: join(folder.path, 'ca'),
  agents: join(folder.path, 'agents'),
  agent: (id: string) => join(folder.path, 'agents', id),
  release() {},
});

/** More rows than one piece of the answer has. */
function manyRows(): () => TableSnapshot {
  const table = openMemoryTable();
  return () => {
    const page = Array.from({ length: 100 }, (_, i) => ({ pk: 'X', sk: String(i), text: 'x'.repeat(50_000) }));
    open++;
    const { close } = table.snapshot();
    return {
      async *pages() {
        for (let n = 0; n < 10; n++) yield page;
      },
      close() {
        open--;
        close();
      },
    };
  };
}

function ask(changes: Partial<BackupParts> = {}) {
  const routes = backupRoutes({
    data: data(),
    snapshot: manyRows(),
    version: '0.2.0',
    broker: () => 'mqtts://192.0.2.1:8883',
    ...changes,
  });
  const app = service(api.context, routes);
  return (token = api.token) =>
    app.request('http://localhost/backup', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
}

async function filesOf({ body }: Response): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of readBackup(body as unknown as AsyncIterable<Uint8Array>, sha256)) names.push(name);
  return names;
}

test('one at a time, and the next one when the reader of the first times out', async () => {
  const make = ask({ readWithinMs: 3_600_000 });
  const first = await make();
  expect([first.status, open]).toEqual([200, 1]);
  const second = await make();
  expect([second.status, ((await second.json()) as { code: string }).code]).toEqual([409, 'conflict']);
  await first.body?.cancel();
  await expect.poll(() => open).toBe(0);
  const third = await make();
  expect([third.status, open]).toEqual([200, 1]);
  await third.body?.cancel();
});

test('one that cannot begin does not stand in the way of the next', async () => {
  const table = openMemoryTable();
  let attempts = 0;
  const make = ask({
    snapshot() {
      if (attempts++ === 0) throw new Error('too many readers');
      return table.snapshot();
    },
  });
  expect((await make()).status).toBe(500);
  expect(await filesOf(await make())).toContain('end.json');
});

test('of a snapshot that was closed nothing is read any more', async () => {
  const table = openMemoryTable();
  for (let i = 0; i < 150; i++) await table.put({ pk: 'X', sk: String(i) });
  const snapshot = table.snapshot();
  const pages = snapshot.pages();
  expect((await pages.next()).value).toHaveLength(100);
  snapshot.close();
  await expect(pages.next()).rejects.toThrow('closed');
});

test('a reader that takes nothing keeps nothing open, and its file is broken off', async () => {
  const stuck = await ask({ readWithinMs: 20 })();
  expect(open).toBe(1);
  await expect.poll(() => open).toBe(0);
  await expect(stuck.arrayBuffer()).rejects.toThrow('broken off');
});

test('it is for tokens of all sites that may administrate, is in the audit, and says where DynamoDB has the rows', async () => {
  const make = ask();
  expect((await make(await api.createToken({ sites: ['home'] }))).status).toBe(403);
  expect((await make(await api.createToken({ sites: '*', scopes: ['devices:read'] }))).status).toBe(403);
  expect(open).toBe(0);
  await (await make()).body?.cancel();
  const { json } = await api.request('GET', '/audit', { site: 'home' });
  expect((json as { entries: { action: string }[] }).entries.map(({ action }) => action)).toContain('backup.make');
  const elsewhere = await ask({ snapshot: null })();
  expect([elsewhere.status, await elsewhere.text()]).toEqual([404, expect.stringContaining('point-in-time')]);
});

test('a folder that is none of an agent does not spoil the file', async () => {
  const other = join(folder.path, 'agents', 'home-main.old');
  mkdirSync(other, { mode: 0o700, recursive: true });
  writeFileSync(join(other, 'identity.json'), '{}', { mode: 0o600 });
  const made = await ask({ snapshot: () => openMemoryTable().snapshot() })();
  expect(await filesOf(made)).toEqual(['backup.json', 'rows/000000.jsonl', 'end.json']);
});

test('of the folder it has keys, token and what an agent cannot make again, and nothing else', async () => {
  const { path } = folder;
  for (const name of ['ca', 'agents', 'agents/home-main']) mkdirSync(join(path, name), { mode: 0o700 });
  const write = (name: string) => writeFileSync(join(path, name), '{}', { mode: 0o600 });
  for (const name of ['state.json', 'api-token', 'ca/authority.pem', 'ca/other', 'lock', 'lanreach.mdb']) write(name);
  for (const name of ['identity.json', 'policy.json', 'journal.jsonl']) write(`agents/home-main/${name}`);
  const made = await ask({ snapshot: () => openMemoryTable().snapshot() })();
  expect(await filesOf(made)).toEqual([
    'backup.json',
    'state.json',
    'api-token',
    'ca/authority.pem',
    'agents/home-main/identity.json',
    'agents/home-main/policy.json',
    'rows/000000.jsonl',
    'end.json',
  ]);
});
