/**
 * What an earlier version has written is read: `fixtures/<version>.mdb` is a database of each version since 0.2.0. With
 * `LANREACH_FIXTURE=<version>` this file writes the one of a new version.
 */
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rootTokenRow } from '../api/access/first-access.ts';
import { BLANK_DEVICE } from '../shared/device.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { openLmdbTable } from './lmdb.ts';
import { openStores } from './stores.ts';

const FIXTURES = join(import.meta.dirname, '../test/fixtures/store');
const NOW = new Date('2026-11-23T12:00:00.000Z');
const SITE = 'home';
const JOB = 'home.019ab0c5-7c00-7000-8000-000000000001';
const HOOK = '0123456789ab';
const TOKEN = '0123456789abcdef';
const now = () => NOW;

const folder = makeTestFolder();
afterAll(() => folder.remove());

const device = (key: string, devName: string) => ({ key, record: { ...BLANK_DEVICE, devMac: key, devName } });
const ROUTER = device('02:00:00:00:00:01', 'router');
const PRINTER = device('02:00:00:00:00:02', 'printer');

async function write(file: string): Promise<void> {
  const table = openLmdbTable(file);
  const stores = openStores(table, now);
  await stores.sites.add({ id: SITE, name: 'Home', createdAt: NOW.toISOString() });
  await stores.devices.create(SITE, NOW);
  const origin = { actor: TOKEN, cause: 'import' } as const;
  await stores.devices.change(SITE, origin, () => ({ put: [ROUTER, PRINTER], remove: [] }));
  await stores.devices.change(SITE, { ...origin, cause: 'delete' }, () => ({ put: [], remove: [PRINTER.key] }));
  await stores.tokens.add(
    TOKEN,
    rootTokenRow('lr_0123456789abcdef.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'test', NOW),
  );
  await stores.jobs.create({
    id: JOB,
    agent: 'home:main',
    command: { tool: 'speedtest' },
    actor: TOKEN,
    sourceAddress: null,
  });
  const job = (await stores.jobs.assignment(JOB))!;
  const ended = {
    state: 'failed',
    reason: 'tool_failed',
    message: 'no internet',
    output: 'x',
    truncated: false,
  } as const;
  await stores.jobs.finish(job, { ...ended, result: null, startedAt: NOW.getTime(), endedAt: NOW.getTime() });
  const settings = {
    url: 'https://hooks.example/x',
    format: 'json',
    events: ['new'],
    secret: `whsec_${'A'.repeat(43)}=`,
  } as const;
  const made = { enabled: true, createdAt: NOW.toISOString(), createdBy: TOKEN, from: 0 };
  await stores.hooks.add(SITE, HOOK, { ...settings, events: ['new'], ...made });
  const entry = { site: SITE, actor: TOKEN, requestId: 'r', sourceAddress: null } as const;
  await stores.audit.record({ ...entry, action: 'devices.delete', detail: { deleted: 1 } });
  await table.close();
}

const version = process.env.LANREACH_FIXTURE;
if (version !== undefined) await write(join(FIXTURES, `${version}.mdb`));

test.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.mdb')))('the rows of %s are read', async (name) => {
  const file = join(folder.path, name);
  copyFileSync(join(FIXTURES, name), file);
  const table = openLmdbTable(file);
  const stores = openStores(table, now);
  expect(await stores.sites.list()).toMatchObject([{ id: SITE, name: 'Home' }]);
  const snapshot = await stores.devices.snapshot(SITE);
  expect(snapshot.devices.map(({ record }) => record)).toEqual([ROUTER.record]);
  expect((await stores.devices.deletedBy(SITE, snapshot.version)).map(({ record }) => record.devName)).toEqual([
    'printer',
  ]);
  expect((await stores.tokens.find(TOKEN))?.token).toMatchObject({ name: 'test', sites: '*' });
  expect(await stores.jobs.find(JOB)).toMatchObject({ state: 'failed', message: 'no internet', output: 'x' });
  expect((await stores.hooks.list(SITE)).hooks).toMatchObject([{ id: HOOK, url: 'https://hooks.example/x' }]);
  expect((await stores.audit.list(SITE, undefined, 9)).entries).toMatchObject([{ action: 'devices.delete' }]);
  // And what is written to it is read again.
  const origin = { actor: TOKEN, cause: 'import' } as const;
  await stores.devices.change(SITE, origin, () => ({ put: [PRINTER], remove: [] }));
  expect((await stores.devices.snapshot(SITE)).size).toBe(2);
  await table.close();
});
