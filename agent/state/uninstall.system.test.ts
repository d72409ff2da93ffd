import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { AGENT } from '../../test/support/agent/broker.ts';
import { namesIn } from '../../test/support/agent/state-names.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { writeIdentity } from '../identity/identity.ts';
import { LockedError, lockDirectory } from './lock.ts';
import { removeState } from './uninstall.ts';

const folder = folderOfEachTest();

const SECRETS = { key: 'k', certificate: 'c', authority: 'a' };
const IDENTITY = {
  agent: AGENT,
  stage: LOCAL_STAGE,
  broker: 'mqtts://127.0.0.1:1',
  api: 'http://127.0.0.1:1',
  ...SECRETS,
};

/** As an agent leaves it that was killed while it wrote. */
async function fillState(state: string): Promise<void> {
  await writeIdentity(state, IDENTITY);
  await mkdir(join(state, 'update'));
  for (const folder of ['scratch/lanreach-nmap-x', 'previous-home-attic-20261101T081500Z']) {
    await mkdir(join(state, folder), { recursive: true });
  }
  for (const file of [
    'policy.json',
    'journal.jsonl',
    'journal.jsonl.tmp',
    'previous-home-attic-20261101T081500Z.jsonl',
    'upstream.log',
    'update/record.json',
    'update/agent-1.2.0.mjs.tmp',
  ]) {
    await writeFile(join(state, file), '{}');
  }
}

test('nothing is left of the state, and the second time there is nothing to do', async () => {
  const state = join(folder.path, 'state');
  await fillState(state);
  expect(await removeState(state)).toEqual([]);
  expect(await readdir(folder.path)).toEqual([]);
  expect(await removeState(state)).toEqual([]);
});

test('a link to the state goes with it', async () => {
  await fillState(join(folder.path, 'real'));
  await symlink('real', join(folder.path, 'state'));
  expect(await removeState(join(folder.path, 'state'))).toEqual([]);
  expect(await readdir(folder.path)).toEqual([]);
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
