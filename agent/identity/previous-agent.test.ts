import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { quarantine } from './previous-agent.ts';

const NOW = new Date('2026-11-01T08:15:30.123Z');

test('without results that were never sent, nothing of another agent stays', async () => {
  await using folder = makeTestFolder();
  expect(await quarantine(folder.path, 'home:main', NOW)).toBeNull();
  await mkdir(join(folder.path, 'spool'));
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  await writeFile(join(folder.path, 'policy.json'), '{}');
  for (const name of ['discovery-settings.json', 'known-devices.json', 'plan.json', 'upstream.log']) {
    await writeFile(join(folder.path, name), '{}');
  }
  expect(await quarantine(folder.path, 'home:main', NOW)).toBeNull();
  expect(await readdir(folder.path)).toEqual(['policy.json']); // The host's, whoever its agent is.
});

test('results are moved with the journal that knows them; a half-written one does not count', async () => {
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, 'spool'));
  for (const name of ['a.json', 'b.json', 'c.json.tmp']) await writeFile(join(folder.path, 'spool', name), '{}');
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  const aside = join(folder.path, 'previous-home-main-20261101T081530Z');
  expect(await quarantine(folder.path, 'home:main', NOW)).toEqual({ results: 2, folder: aside });
  expect((await readdir(aside)).sort()).toEqual(['a.json', 'b.json', 'c.json.tmp']);
  expect((await readdir(folder.path)).sort()).toEqual([
    'previous-home-main-20261101T081530Z',
    'previous-home-main-20261101T081530Z.jsonl',
  ]);
});

test('of an agent that is not known, and without a journal', async () => {
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, 'spool'));
  await writeFile(join(folder.path, 'spool', 'a.json'), '{}');
  expect((await quarantine(folder.path, null, NOW))?.folder).toContain('previous-unknown-');
});

test('a spool that is no folder is none, and what it links to stays', async () => {
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, 'state'));
  await writeFile(join(folder.path, 'precious'), 'x');
  await symlink('../precious', join(folder.path, 'state', 'spool'));
  expect(await quarantine(join(folder.path, 'state'), 'home:main', NOW)).toBeNull();
  expect(await readdir(join(folder.path, 'state'))).toEqual([]);
  expect(await readdir(folder.path)).toContain('precious');
});
