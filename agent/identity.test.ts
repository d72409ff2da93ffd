import { chown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIdentity, writeIdentity } from './identity.ts';
import { AGENT } from './testing/broker.ts';
import { makeTestFolder } from './testing/folder.ts';

const IDENTITY = { agent: AGENT, broker: 'mqtts://127.0.0.1:1', key: 'k', certificate: 'c', authority: 'a' };
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can write an identity for another user: that is not tested');

test('an identity is read as it was written', async () => {
  await using folder = await makeTestFolder();
  await writeIdentity(folder.path, IDENTITY);
  expect(await readIdentity(folder.path)).toEqual(IDENTITY);
});

test.skipIf(!isRoot)('what root writes belongs to the user whose directory it is', async () => {
  await using folder = await makeTestFolder();
  const state = join(folder.path, 'state');
  await mkdir(state);
  await chown(state, 61_234, 61_235);
  await writeIdentity(state, IDENTITY);
  const names = await readdir(state);
  expect(names).toHaveLength(4);
  for (const name of names) expect(await stat(join(state, name))).toMatchObject({ uid: 61_234, gid: 61_235 });
});
