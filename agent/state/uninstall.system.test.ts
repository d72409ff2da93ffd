import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { IDENTITY } from '../../test/support/agent/broker.ts';
import { namesIn } from '../../test/support/agent/state-names.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { writeIdentity } from '../identity/identity.ts';
import { LockedError, lockDirectory } from './lock.ts';
import { removeState } from './uninstall.ts';

const folder = folderOfEachTest();

/** As an agent leaves it that was killed while it wrote. */
async function fillState(state: string): Promise<void> {
  await writeIdentity(state, IDENTITY);
  await mkdir(join(state, 'update'));
  for (const folder of ['scratch/lanreach-nmap-x', 'previous-home-attic-20261101T081500Z'])
    await mkdir(join(state, folder), { recursive: true });
  const files = ['policy.json', 'journal.jsonl', 'journal.jsonl.tmp', 'previous-home-attic-20261101T081500Z.jsonl'];
  for (const file of [...files, 'upstream.log', 'update/record.json', 'update/agent-1.2.0.mjs.tmp'])
    await writeFile(join(state, file), '{}');
}

test('nothing is left of the state, nor of a link to it, and the second time there is nothing to do', async () => {
  const state = join(folder.path, 'state');
  await fillState(state);
  for (const isLink of [false, true]) {
    if (isLink) await fillState(join(folder.path, 'real'));
    if (isLink) await symlink('real', state);
    expect(await removeState(state)).toEqual([]);
    expect(await readdir(folder.path)).toEqual([]);
  }
  expect(await removeState(state)).toEqual([]);
});

test('what the agent did not put there stays and is named', async () => {
  await fillState(folder.path);
  await writeFile(join(folder.path, 'thesis.txt'), 'ten years');
  await mkdir(join(folder.path, 'previous-employers'));
  expect(await removeState(folder.path)).toEqual(['previous-employers', 'thesis.txt']);
  expect(await namesIn(folder.path)).toEqual(['previous-employers', 'thesis.txt']);
});

test('the state of an agent that runs is left alone', async () => {
  await fillState(folder.path);
  const lock = await lockDirectory(folder.path, 0);
  const before = await readdir(folder.path);
  await expect(removeState(folder.path)).rejects.toThrow(LockedError);
  expect(await readdir(folder.path)).toEqual(before);
  lock.release();
});
