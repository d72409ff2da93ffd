import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../test/support/bundle-program.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { LockedError, lockDirectory, queryHolder } from './lock.ts';

const folder = folderOfEachTest();

const programs = makeTestFolder();
let holderProgram: string;

beforeAll(async () => {
  const source = join(import.meta.dirname, '../../test/support/agent/lock-holder.ts');
  holderProgram = await bundleProgram(source, programs.path);
});
afterAll(() => programs[Symbol.asyncDispose]());

/** A process of its own that takes the lock of a directory on request. */
async function startStarter(directory: string) {
  const child = fork(holderProgram, [directory], { execArgv: [] });
  await once(child, 'message');
  return {
    child,
    /** What came of its try: 'held', or the name of the error. */
    async tries(): Promise<string> {
      const answer = once(child, 'message');
      child.send('try');
      return (await answer)[0];
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

test('a directory has one holder at a time, by whatever path', async () => {
  await using another = makeTestFolder();
  const link = join(another.path, 'link');
  await symlink(folder.path, link);
  const first = await lockDirectory(folder.path, 0);
  await expect(lockDirectory(folder.path, 0)).rejects.toThrow(LockedError);
  await expect(lockDirectory(link, 0)).rejects.toThrow(LockedError);
  await expect(lockDirectory(link, 0)).rejects.toMatchObject({ pid: process.pid });
  (await lockDirectory(another.path, 0)).release();
  const notices: string[] = [];
  const waiting = lockDirectory(folder.path, 60_000, { onWait: (holder) => notices.push(holder) });
  await expect.poll(() => notices).toEqual([`Another agent is running with the state directory ${folder.path}`]);
  first.release();
  (await waiting).release();
  expect(notices).toHaveLength(1);
});

test('a path that is too long for a socket is no reason not to lock', async () => {
  const deep = join(folder.path, 'long '.repeat(20), 'long '.repeat(20));
  await mkdir(deep, { recursive: true });
  const lock = await lockDirectory(deep, 0);
  lock.setStatus(() => 'something');
  await expect(lockDirectory(deep, 0)).rejects.toThrow(LockedError);
  expect(await queryHolder(deep)).toEqual({ pid: process.pid, status: 'something' });
  expect(await readdir(deep)).toEqual(['lock']);
  lock.release();
  (await lockDirectory(deep, 0)).release();
});

test('the holder tells those who ask what it wants to tell', async () => {
  const { pid } = process;
  expect(await queryHolder(folder.path)).toBeNull();
  const lock = await lockDirectory(folder.path, 0);
  expect(await queryHolder(folder.path)).toEqual({ pid, status: '' });
  let state = 'one';
  lock.setStatus(() => state);
  expect(await queryHolder(folder.path)).toEqual({ pid, status: 'one' });
  state = 'two';
  const two = { pid, status: 'two' };
  expect(await Promise.all([queryHolder(folder.path), queryHolder(folder.path)])).toEqual([two, two]);
  state = 'x'.repeat(100_000);
  expect(await queryHolder(folder.path)).toBeNull();
  lock.release();
  expect(await queryHolder(folder.path)).toBeNull();
  (await lockDirectory(folder.path, 0)).release();
});

test('a holder that does not answer, because it is stopped, holds the lock nevertheless', async () => {
  await using holder = await startStarter(folder.path);
  expect(await holder.tries()).toBe('held');
  holder.child.kill('SIGSTOP');
  await expect(lockDirectory(folder.path, 0)).rejects.toMatchObject({ name: 'LockedError', pid: null });
});

test('of many processes that start at once one gets the lock, and kill -9 gives it back at once', async () => {
  const starters = await Promise.all(Array.from({ length: 6 }, () => startStarter(folder.path)));
  try {
    const left = [...starters];
    while (left.length > 0) {
      const answers = await Promise.all(left.map((starter) => starter.tries()));
      expect(answers.toSorted()).toEqual([...left.slice(1).map(() => 'LockedError'), 'held']);
      const [holder] = left.splice(answers.indexOf('held'), 1);
      await expect(lockDirectory(folder.path, 0)).rejects.toMatchObject({ pid: holder?.child.pid });
      await holder?.[Symbol.asyncDispose]();
    }
    (await lockDirectory(folder.path, 0)).release();
    expect(await readdir(folder.path)).toHaveLength(1);
  } finally {
    for (const starter of starters) await starter[Symbol.asyncDispose]();
  }
});

test('what processes have left that were killed on the way is removed, and does not hold', async () => {
  await using dead = await startStarter(folder.path);
  await dead.tries();
  await dead[Symbol.asyncDispose]();
  const draft = join(folder.path, `lock.${randomBytes(8).toString('hex')}`);
  const script = `require('net').createServer().listen(${JSON.stringify(draft)}, () => process.kill(process.pid, 9))`;
  await once(spawn(process.execPath, ['-e', script], { stdio: 'inherit' }), 'exit');
  expect(await readdir(folder.path)).toHaveLength(2);
  const lock = await lockDirectory(folder.path, 0);
  expect(await readdir(folder.path)).toEqual(['lock']);
  lock.release();
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can be two users: how a lock is shared between users is not tested');
const SERVICE = { uid: 61_234, gid: 61_234 };

test.skipIf(!isRoot)('another user gets at neither the lock nor what its holder says', async () => {
  const lock = await lockDirectory(folder.path, 0);
  const [name = ''] = await readdir(folder.path);
  const script = `require('net').connect(${JSON.stringify(join(folder.path, name))}).on('error', (e) => console.log(e.code))`;
  const intruder = spawn(process.execPath, ['-e', script], { ...SERVICE, stdio: ['ignore', 'pipe', 'inherit'] });
  expect(String((await once(intruder.stdout, 'data'))[0])).toBe('EACCES\n');
  lock.release();
});
