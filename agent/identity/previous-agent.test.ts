import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { quarantine } from './previous-agent.ts';

const folder = folderOfEachTest();

/** The nth line of an upstream log, with so many bytes missing. */
const line = (nth: number, missing = 0) => `[${Date.now() + nth},"result","${nth}",${2 + missing}]\t{}\n`;
const NOW = new Date('2026-11-01T08:15:30.123Z');

test('without results that were never sent, nothing of another agent stays', async () => {
  expect(await quarantine(folder.path, 'home:main', NOW)).toBeNull();
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  await writeFile(join(folder.path, 'policy.json'), '{}');
  for (const name of ['discovery-settings.json', 'known-devices.json', 'plan.json', 'upstream.log']) {
    await writeFile(join(folder.path, name), '{}');
  }
  expect(await quarantine(folder.path, 'home:main', NOW)).toBeNull();
  expect(await readdir(folder.path)).toEqual(['policy.json']); // The host's, whoever its agent is.
});

test('results are moved with the journal that knows them; a half-written one does not count', async () => {
  await writeFile(join(folder.path, 'upstream.log'), line(1) + line(2) + line(3, 7));
  await writeFile(join(folder.path, 'journal.jsonl'), '{}\n');
  const aside = join(folder.path, 'previous-home-main-20261101T081530Z');
  expect(await quarantine(folder.path, 'home:main', NOW)).toEqual({ results: 2, folder: aside });
  expect((await readdir(aside)).sort()).toEqual(['journal.jsonl', 'upstream.log']);
  expect(await readdir(folder.path)).toEqual(['previous-home-main-20261101T081530Z']);
});

test('of an agent that is not known, and without a journal', async () => {
  await writeFile(join(folder.path, 'upstream.log'), line(1));
  expect((await quarantine(folder.path, null, NOW))?.folder).toContain('previous-unknown-');
});

test('a log that is a link is removed, and what it links to stays', async () => {
  await mkdir(join(folder.path, 'state'));
  await writeFile(join(folder.path, 'precious'), 'x');
  await symlink('../precious', join(folder.path, 'state', 'upstream.log'));
  expect(await quarantine(join(folder.path, 'state'), 'home:main', NOW)).toBeNull();
  expect(await readdir(join(folder.path, 'state'))).toEqual([]);
  expect(await readdir(folder.path)).toContain('precious');
});
