import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { watchAndReplace } from '../testing/intruder.ts';
import { quarantine } from './previous-agent.ts';

const NOW = new Date('2026-11-01T08:15:30.123Z');

test('without results that were never sent, nothing of another agent stays', async () => {
  await using folder = makeTestFolder();
  expect(await quarantine(folder.path, 'home:main', NOW)).toBeNull();
  await mkdir(join(folder.path, 'spool'));
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  await writeFile(join(folder.path, 'policy.json'), '{}');
  for (const name of ['discovery-settings.json', 'known-devices.json']) await writeFile(join(folder.path, name), '{}');
  expect(await quarantine(folder.path, 'home:main', NOW)).toBeNull();
  expect(await readdir(folder.path)).toEqual(['policy.json']); // The host's, whoever its agent is.
});

test('results are moved with the journal that knows them; a half-written one does not count', async () => {
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, 'spool'));
  for (const name of ['a.json', 'b.json', 'c.json.tmp']) await writeFile(join(folder.path, 'spool', name), '{}');
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  const aside = join(folder.path, 'former-home-main-20261101T081530Z');
  expect(await quarantine(folder.path, 'home:main', NOW)).toEqual({ results: 2, folder: aside });
  expect((await readdir(aside)).sort()).toEqual(['a.json', 'b.json', 'c.json.tmp']);
  expect((await readdir(folder.path)).sort()).toEqual([
    'former-home-main-20261101T081530Z',
    'former-home-main-20261101T081530Z.jsonl',
  ]);
});

test('of an agent that is not known, and without a journal', async () => {
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, 'spool'));
  await writeFile(join(folder.path, 'spool', 'a.json'), '{}');
  expect((await quarantine(folder.path, null, NOW))?.folder).toContain('former-unknown-');
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

test('nothing leaves the directory, whatever its owner makes of the names in it meanwhile', async () => {
  await using folder = makeTestFolder();
  const [state, elsewhere] = [join(folder.path, 'state'), join(folder.path, 'elsewhere')];
  await mkdir(elsewhere);
  await mkdir(state);
  await using _ = await watchAndReplace(state, /^former-/, elsewhere);
  for (let round = 0; round < 100; round++) {
    await mkdir(join(state, 'spool'), { recursive: true });
    await writeFile(join(state, 'spool', 'a.json'), '{}');
    // Its owner can make it fail; no more than that.
    await quarantine(state, 'home:main', new Date(NOW.getTime() + round * 1000)).catch(() => {});
  }
  expect(await readdir(elsewhere)).toEqual([]);
});
