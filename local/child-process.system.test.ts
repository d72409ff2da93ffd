import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { isRunning } from '../test/support/processes.ts';
import { type ChildOptions, runToEnd, type SupervisedChild, superviseChild } from './child-process.ts';
import { childEnvironment } from './config.ts';
import { findProgram } from './programs.ts';

vi.mock('node:timers/promises', { spy: true });

const log = pino({ level: 'silent' });
const env = childEnvironment();
const setpriv = findProgram('setpriv', env.PATH ?? '');
const READY_WITHIN_MS = 60_000;
const started: SupervisedChild[] = [];
const folder = folderOfEachTest();

afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.stop()));
});

/** @param script of the shell, which starts thirty times as fast as Node.js */
async function supervise(script: string, options: Partial<ChildOptions> = {}): Promise<SupervisedChild> {
  const child = await superviseChild({
    name: 'the helper',
    argv: ['sh', '-c', script],
    env,
    ready: { line: (line) => line === 'ready' },
    readyWithinMs: READY_WITHIN_MS,
    setpriv,
    log,
    ...options,
  });
  started.push(child);
  return child;
}

const FOREVER = 'echo ready >&2; exec sleep 3600';

const SUPERVISOR = `
  import { superviseChild } from './child-process.ts';
  const child = await superviseChild({
    name: 'the helper',
    argv: ['sh', '-c', '${FOREVER}'],
    env: process.env,
    ready: { line: () => true },
    readyWithinMs: 60_000,
    setpriv: process.argv[2],
    log: console,
  });
  process.send(child.pid);
`;

test('a child counts as started when it has printed its line', async () => {
  const child = await supervise(`sleep 0.2; ${FOREVER}`);
  expect(child.isReady).toBe(true);
  expect(child.outputTail()).toBe('ready');
  expect(isRunning(child.pid!)).toBe(true);
});

test('a child can be shown to be ready by something else', async () => {
  const file = join(folder.path, 'there');
  await supervise(`touch ${file}; exec sleep 3600`, {
    ready: { probe: () => vi.waitUntil(() => existsSync(file), { timeout: 60_000 }) },
  });
  expect(existsSync(file)).toBe(true);
});

test('a first start that fails says how it ended and what was printed, and names a program that is not there', async () => {
  await expect(supervise('echo no such port >&2; exit 3')).rejects.toThrow(
    'Cannot start the helper: it ended with exit code 3. It printed:\nno such port',
  );
  const argv = [join(folder.path, 'nothing')] as const;
  await expect(supervise('', { argv, setpriv: null })).rejects.toThrow(/helper: spawn .*nothing ENOENT$/);
  const { code, output } = await runToEnd(argv, { env, timeoutMs: 60_000 });
  expect([code, output]).toEqual([null, expect.stringMatching(/nothing ENOENT/)]);
});

test('a child that is not ready in time is ended', async () => {
  const file = join(folder.path, 'pid');
  // The time is over when it runs, however long that takes.
  vi.mocked(sleep).mockImplementationOnce(async () => {
    await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '', { timeout: 60_000 });
  });
  await expect(supervise(`echo $$ > ${file}; exec sleep 3600`, { readyWithinMs: 500 })).rejects.toThrow(
    'it was not ready within 500 ms',
  );
  expect(isRunning(Number(readFileSync(file, 'utf8')))).toBe(false);
});

test('a child that is killed is started again at once', async () => {
  const child = await supervise(FOREVER);
  const first = child.pid!;
  vi.mocked(sleep).mockClear();
  process.kill(first, 'SIGKILL');
  await vi.waitUntil(() => child.isReady && child.pid !== first, { timeout: 60_000, interval: 10 });
  const waits = vi.mocked(sleep).mock.calls.flatMap(([ms = 0]) => (ms === READY_WITHIN_MS ? [] : [ms]));
  expect(waits).toContainEqual(expect.any(Number));
  expect(Math.max(...waits)).toBeLessThanOrEqual(200);
  expect(child.restarts).toBe(1);
});

test('the supervisor retries a child that cannot restart until it can', async () => {
  const blocked = join(folder.path, 'blocked');
  const child = await supervise(`[ ! -e ${blocked} ] || exit 1; ${FOREVER}`);
  writeFileSync(blocked, '');
  process.kill(child.pid!, 'SIGKILL');
  await vi.waitUntil(() => child.restarts >= 2, { timeout: 60_000 });
  expect(child.isReady).toBe(false);
  rmSync(blocked);
  await vi.waitUntil(() => child.isReady, { timeout: 60_000 });
});

test('stop ends a child that ignores TERM, and does not start it again', async () => {
  const child = await supervise(`trap 'echo no >&2' TERM; echo ready >&2; while :; do sleep 0.1; done`);
  const pid = child.pid!;
  await child.stop();
  expect(isRunning(pid)).toBe(false);
  expect(child.pid).toBe(null);
  expect(child.outputTail()).toContain('no');
});

test('the end of standard input tells a child that we are gone', async () => {
  const script = `process.stdin.resume().on('end', () => console.error('alone')); console.error('ready'); setInterval(() => {}, 1000)`;
  const child = await supervise('', { argv: [process.execPath, '-e', script], holdStdin: true });
  await child.stop();
  expect(child.outputTail()).not.toContain('alone'); // Not before SIGTERM.
});

test('kill -9 of the supervisor leaves no child behind', async () => {
  const bundle = join(folder.path, 'supervisor.mjs');
  await build({
    stdin: { contents: SUPERVISOR, resolveDir: import.meta.dirname },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  const parent = fork(bundle, [setpriv ?? ''], { stdio: 'ignore' });
  const [pid] = await once(parent, 'message');
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitUntil(() => !isRunning(pid), { timeout: 60_000 });
});

test('output without line ends does not pile up', async () => {
  const lines: string[] = [];
  await supervise(`head -c 20000 /dev/zero | tr '\\0' x; ${FOREVER}`, { onLine: (line) => lines.push(line) });
  await vi.waitUntil(() => lines.length > 0 && lines.join('').replace('ready', '').length > 15_000, {
    timeout: 60_000,
  });
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(100_000);
});

test('runToEnd gives the input, the lines and the exit code', async () => {
  const lines: string[] = [];
  const how = { env, timeoutMs: 60_000, input: 'one\ntwo', onLine: (line: string) => lines.push(line) };
  const ended = await runToEnd(['sh', '-c', 'cat; exit 4'], how);
  expect(ended).toEqual({ code: 4, output: 'one\ntwo', timedOut: false });
  expect(lines).toEqual(['one', 'two']);
});

test('runToEnd ends what takes too long, and what is no longer wanted', async () => {
  const argv = ['sleep', '3600'] as const;
  expect(await runToEnd(argv, { env, timeoutMs: 300 })).toMatchObject({ code: null, timedOut: true });
  const signal = AbortSignal.timeout(300);
  expect(await runToEnd(argv, { env, timeoutMs: 60_000, signal })).toMatchObject({ code: null, timedOut: false });
});
