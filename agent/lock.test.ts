import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askHolder, LockedError, lockDirectory } from './lock.ts';
import { makeTestFolder } from './testing/folder.ts';

test('a directory has one holder at a time, by whatever path', async () => {
  await using folder = await makeTestFolder();
  await using another = await makeTestFolder();
  const link = join(another.path, 'link');
  await symlink(folder.path, link);
  const first = await lockDirectory(folder.path, 0);
  await expect(lockDirectory(folder.path, 0)).rejects.toThrow(LockedError);
  await expect(lockDirectory(link, 0)).rejects.toThrow(LockedError);
  (await lockDirectory(another.path, 0)).release();
  const told: string[] = [];
  const waiting = lockDirectory(folder.path, 5_000, { onWait: (holder) => told.push(holder) });
  await expect.poll(() => told).toEqual([`Another agent is running with the state in ${folder.path}`]);
  first.release();
  (await waiting).release();
  expect(told).toHaveLength(1);
});

test('the holder tells those who ask what it wants to tell', async () => {
  await using folder = await makeTestFolder();
  expect(await askHolder(folder.path)).toBeNull();
  const lock = await lockDirectory(folder.path, 0);
  expect(await askHolder(folder.path)).toBeNull();
  let state = 'one';
  lock.tell(() => state);
  expect(await askHolder(folder.path)).toBe('one');
  state = 'two';
  expect(await Promise.all([askHolder(folder.path), askHolder(folder.path)])).toEqual(['two', 'two']);
  state = 'x'.repeat(100_000);
  expect(await askHolder(folder.path)).toBeNull();
  lock.release();
  expect(await askHolder(folder.path)).toBeNull();
  (await lockDirectory(folder.path, 0)).release();
});

test('the lock of a process that was killed is free', async () => {
  await using folder = await makeTestFolder();
  const { release } = await lockDirectory(folder.path, 0);
  release();
  const held = createHash('sha256').update(folder.path).digest('hex');
  const code = `require('net').createServer().listen('\\0lanreach-agent-${held}', () => console.log('held'))`;
  const holder = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  await expect(lockDirectory(folder.path, 0)).rejects.toThrow(LockedError);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  (await lockDirectory(folder.path, 2_000)).release();
});
