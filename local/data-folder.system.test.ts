import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIfThere } from '../agent/state/optional-file.ts';
import { OwnershipError } from '../agent/state/ownership.ts';
import { FORMAT, otherFormat } from '../shared/format.ts';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { listingOf } from '../test/support/listing.ts';
import { FolderInUse, openDataFolder, readSecret } from './data-folder.ts';

const base = folderOfEachTest();
const dataFolder = () => join(base.path, 'data');

const openAndRelease = async () => (await openDataFolder(dataFolder())).release();

test('the folder is made for this user alone, and closed to others who could read it', async () => {
  await openAndRelease();
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o700);
  chmodSync(dataFolder(), 0o755);
  await openAndRelease();
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o700);
});

test('a second opening is refused with the process that holds it, until that one releases it', async () => {
  const data = await openDataFolder(dataFolder());
  await expect(openDataFolder(dataFolder())).rejects.toThrow(FolderInUse);
  await expect(openDataFolder(dataFolder())).rejects.toThrow(`is in use by process ${process.pid}.`);
  data.release();
  await openAndRelease();
});

test('a folder into which others can put something is refused, and so is a secret', async () => {
  mkdirSync(dataFolder());
  chmodSync(dataFolder(), 0o775);
  await expect(openDataFolder(dataFolder())).rejects.toThrow(
    `LANREACH_DATA: The folder ${dataFolder()} can be changed by other users (its mode is 0775)`,
  );
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o775);
  chmodSync(dataFolder(), 0o700);
  const file = join(dataFolder(), 'api-token');
  writeFileSync(file, 'mine');
  chmodSync(file, 0o644);
  expect(await readSecret(file)).toBe('mine');
  chmodSync(file, 0o666);
  await expect(readSecret(file)).rejects.toThrow(OwnershipError);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can give files away: a data folder of another user is not tested');

test.skipIf(!isRoot)('a folder or a secret of another user is refused', async () => {
  const STRANGER = 61_234;
  mkdirSync(dataFolder(), { mode: 0o700 });
  const file = join(dataFolder(), 'api-token');
  writeFileSync(file, 'not-ours');
  chownSync(file, STRANGER, STRANGER);
  await expect(readSecret(file)).rejects.toThrow(`The file ${file} belongs to user ${STRANGER} and not to root`);
  chownSync(dataFolder(), STRANGER, STRANGER);
  await expect(openDataFolder(dataFolder())).rejects.toThrow(
    `LANREACH_DATA: The folder ${dataFolder()} belongs to user ${STRANGER} and not to root`,
  );
  expect(statSync(dataFolder()).uid).toBe(STRANGER);
});

test('a missing file is distinguished from an empty one', async () => {
  const data = await openDataFolder(dataFolder());
  expect(await readIfThere(data.tokenFile)).toBe(null);
  expect(await readSecret(data.tokenFile)).toBe(null);
  writeFileSync(data.tokenFile, '');
  expect(await readSecret(data.tokenFile)).toBe('');
  data.release();
});

test('a folder that cannot be used is named with its variable, wherever it is', async () => {
  const file = join(base.path, 'a-file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below'), '/proc/nope', '/proc/nope/deeper']) {
    await expect(openDataFolder(path)).rejects.toThrow(/^LANREACH_DATA: cannot use the folder/);
  }
});

test.each([
  ['no number', null, null],
  ['a lower number', `${FORMAT - 1}\n`, FORMAT - 1],
  ['a greater number', `${FORMAT + 1}\n`, FORMAT + 1],
])('a folder with %s is refused, and left as it is to the last byte', async (_, text, found) => {
  for (const name of ['lanreach.mdb', 'state.json', 'api-token', 'ca', 'rows']) {
    const old = join(base.path, name);
    mkdirSync(join(old, 'agents'), { recursive: true, mode: 0o755 });
    writeFileSync(join(old, name), name);
    if (text !== null) writeFileSync(join(old, 'format'), text);
    const before = listingOf(old);
    await expect(openDataFolder(old)).rejects.toThrow(otherFormat(`The data folder ${old}`, found));
    expect(listingOf(old)).toEqual(before);
  }
});

test('a new folder gets the number, also when a disk or an operator has put something else there', async () => {
  mkdirSync(join(dataFolder(), 'lost+found'), { recursive: true });
  mkdirSync(join(dataFolder(), 'agents', 'home-main'), { recursive: true });
  await openAndRelease();
  expect(readFileSync(join(dataFolder(), 'format'), 'utf8')).toBe(`${FORMAT}\n`);
  writeFileSync(join(dataFolder(), 'state.json'), '{}');
  await openAndRelease();
});
