import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderInUse, openDataFolder, readIfThere, writeSafely } from './data-folder.ts';

let base: string;
let folder: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lanreach-data-'));
  folder = join(base, 'data');
});
afterEach(() => rmSync(base, { recursive: true }));

test('the folder is made for this user alone, and narrowed when it was wider', () => {
  openDataFolder(folder).release();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  chmodSync(folder, 0o755);
  openDataFolder(folder).release();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a second opening is refused with the process that holds it, until that one releases it', () => {
  const data = openDataFolder(folder);
  expect(() => openDataFolder(folder)).toThrow(FolderInUse);
  expect(() => openDataFolder(folder)).toThrow(`is in use by process ${process.pid}.`);
  data.release();
  openDataFolder(folder).release();
});

test('a lock of a process that is gone, or whose id another process has now, does not count', () => {
  openDataFolder(folder).release();
  writeFileSync(join(folder, 'lock.7'), JSON.stringify({ pid: 4_194_304 + 1, startedAt: 'another boot 1' }));
  openDataFolder(folder).release();
  writeFileSync(join(folder, 'lock.20'), JSON.stringify({ pid: process.pid, startedAt: 'another boot 1' }));
  openDataFolder(folder).release();
  expect(readdirSync(folder)).toEqual(['lock.21']);
});

const HOLDER = `
  import { openDataFolder } from './data-folder.ts';
  process.on('message', () => {
    try {
      openDataFolder(process.argv[2]);
      process.send('held');
    } catch (error) {
      process.send(error.name);
    }
  });
  process.send('up');
`;

async function startHolders(count: number) {
  const bundle = join(base, 'holder.mjs');
  await build({
    stdin: { contents: HOLDER, resolveDir: import.meta.dirname },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  const holders = Array.from({ length: count }, () => fork(bundle, [folder]));
  await Promise.all(holders.map((holder) => once(holder, 'message')));
  const tryAll = () =>
    Promise.all(
      holders.map(async (holder) => {
        const answer = once(holder, 'message');
        holder.send('hold');
        const [text] = await answer;
        return text as string;
      }),
    );
  return { holders, tryAll };
}

test('of many processes that start at once one gets the folder, and kill -9 gives it back at once', async () => {
  const { holders, tryAll } = await startHolders(6);
  const answers = await tryAll();
  expect(answers.toSorted()).toEqual([...Array(5).fill('FolderInUse'), 'held']);

  const holder = holders[answers.indexOf('held')]!;
  expect(() => openDataFolder(folder)).toThrow(`is in use by process ${holder.pid}.`);
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  openDataFolder(folder).release();

  const others = holders.filter((each) => each !== holder);
  const ends = Promise.all(others.map((each) => once(each, 'exit')));
  for (const each of others) each.kill('SIGKILL');
  await ends;
});

test('files are replaced whole and are for this user alone', () => {
  const data = openDataFolder(folder);
  expect(readIfThere(data.tokenFile)).toBe(null);
  writeSafely(data.tokenFile, 'one');
  writeSafely(data.tokenFile, 'two');
  expect(readIfThere(data.tokenFile)).toBe('two');
  expect(statSync(data.tokenFile).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).toSorted()).toEqual(['api-token', 'lock.1']);
  data.release();
});

test('a folder that cannot be used is named with its variable, wherever it is', () => {
  const file = join(base, 'a-file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below'), '/proc/nope', '/proc/nope/deeper']) {
    expect(() => openDataFolder(path)).toThrow(/^LANREACH_DATA: cannot use the folder/);
  }
});
