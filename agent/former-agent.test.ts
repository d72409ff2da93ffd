import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setAside } from './former-agent.ts';
import { makeTestFolder } from './testing/folder.ts';

const NOW = new Date('2026-11-01T08:15:30.123Z');

test('without results that were never sent, nothing of another agent stays', async () => {
  await using folder = await makeTestFolder();
  expect(await setAside(folder.path, 'home:main', NOW)).toBeNull();
  await mkdir(join(folder.path, 'spool'));
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  await writeFile(join(folder.path, 'policy.json'), '{}');
  expect(await setAside(folder.path, 'home:main', NOW)).toBeNull();
  expect(await readdir(folder.path)).toEqual(['policy.json']); // The host's, whoever its agent is.
});

test('results are moved with the journal that knows them; a half-written one does not count', async () => {
  await using folder = await makeTestFolder();
  await mkdir(join(folder.path, 'spool'));
  for (const name of ['a.json', 'b.json', 'c.json.tmp']) await writeFile(join(folder.path, 'spool', name), '{}');
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  const aside = join(folder.path, 'former-home-main-20261101T081530Z');
  expect(await setAside(folder.path, 'home:main', NOW)).toEqual({ results: 2, folder: aside });
  expect((await readdir(aside)).sort()).toEqual(['journal.jsonl', 'spool']);
  expect(await readdir(folder.path)).toEqual(['former-home-main-20261101T081530Z']);
});

test('of an agent that is not known, and without a journal', async () => {
  await using folder = await makeTestFolder();
  await mkdir(join(folder.path, 'spool'));
  await writeFile(join(folder.path, 'spool', 'a.json'), '{}');
  expect((await setAside(folder.path, null, NOW))?.folder).toContain('former-unknown-');
});
