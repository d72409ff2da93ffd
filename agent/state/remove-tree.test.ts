import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { swapWithLink } from '../testing/intruder.ts';
import { removeTree } from './remove-tree.ts';

test('a folder goes with all that is in it, and nothing that its links lead to', async () => {
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, 'tree', 'deep', 'deeper'), { recursive: true });
  await mkdir(join(folder.path, 'elsewhere'));
  await writeFile(join(folder.path, 'elsewhere', 'precious'), 'x');
  await writeFile(join(folder.path, 'tree', 'deep', 'file'), 'x');
  await symlink('../../elsewhere', join(folder.path, 'tree', 'deep', 'link'));
  await removeTree(join(folder.path, 'tree'));
  expect(await readdir(folder.path)).toEqual(['elsewhere']);
  expect(await readdir(join(folder.path, 'elsewhere'))).toEqual(['precious']);
});

test('a file or a link is removed as such, and what is not there is gone already', async () => {
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, 'elsewhere'));
  await writeFile(join(folder.path, 'elsewhere', 'precious'), 'x');
  await writeFile(join(folder.path, 'file'), 'x');
  await symlink('elsewhere', join(folder.path, 'link'));
  for (const name of ['file', 'link', 'absent']) await removeTree(join(folder.path, name));
  expect(await readdir(folder.path)).toEqual(['elsewhere']);
  expect(await readdir(join(folder.path, 'elsewhere'))).toEqual(['precious']);
});

test('links that are put in the place of folders meanwhile lead nowhere', async () => {
  await using folder = makeTestFolder();
  const elsewhere = join(folder.path, 'elsewhere');
  await mkdir(elsewhere);
  for (let i = 0; i < 20; i++) await writeFile(join(elsewhere, `precious-${i}`), 'x');
  const tree = join(folder.path, 'tree');
  const part = join(tree, 'part');
  await mkdir(tree);
  await using _ = await swapWithLink(part, elsewhere);
  for (let round = 0; round < 2_000; round++) {
    // Its owner can keep it from being removed; no more than that.
    await removeTree(part).catch(() => {});
  }
  expect(await readdir(elsewhere)).toEqual(expect.arrayContaining(['precious-0', 'precious-19']));
  expect(await readdir(elsewhere)).toHaveLength(20);
});
