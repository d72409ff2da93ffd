import { spawn } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { deferred } from '../../shared/async.ts';
import { FINISHED } from '../../test/support/agent/finished.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { createRunProcess, type RunOptions } from './run-process.ts';

const LIMITS: RunOptions = { timeoutMs: 60_000, maxBytes: 100_000 };
const run = createRunProcess();
const sh = (script: string, options: Partial<RunOptions> = {}) => run('sh', ['-c', script], { ...LIMITS, ...options });

const temporary = makeTestFolder();
const folder = temporary.path;
afterAll(() => temporary.remove());
const onLinux = test.runIf(process.platform === 'linux');
afterEach(() => void vi.useRealTimers());

/** Stops the clock by which programs are ended and given up; from then on it goes when it is advanced. */
const stopTheClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });

/** Whether the process runs; a zombie does not. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s+[ZX]/m.test(status);
}

/** What the script wrote into a file, once it is there. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return Number(text);
    await sleep(10);
  }
}

test('output, exit code and lines of a program', async () => {
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(line);
  const finished = await sh('echo one; printf "two\\nthree"; echo problem >&2; exit 3', { onLine });
  expect(finished).toEqual({ ...FINISHED, stdout: 'one\ntwo\nthree', stderr: 'problem\n', code: 3 });
  expect(lines).toEqual(['one', 'two', 'three']);
});

test('a program sees no shell, no environment but a bare one, no input, and works in /', async () => {
  const finished = await run('env', [], { ...LIMITS, env: { EXTRA: '$(id)' } });
  const names = finished.stdout.split('\n').map((line) => line.split('=')[0]);
  expect(names.filter(Boolean).sort()).toEqual(['EXTRA', 'HOME', 'LC_ALL', 'PATH']);
  expect(finished.stdout).toContain('EXTRA=$(id)\n');
  expect((await run('printf', ['%s', '; echo $HOME'], LIMITS)).stdout).toBe('; echo $HOME');
  expect((await sh('pwd; cat; echo end')).stdout).toBe('/\nend\n');
});

test('a program that is not installed is reported with the package to install', async () => {
  const bare = createRunProcess({ path: folder });
  await expect(bare('traceroute', [], LIMITS)).rejects.toMatchObject({
    reason: 'tool_missing',
    message: "traceroute is not installed on the agent's host; install it with: apt install traceroute",
  });
  await expect(bare('ip', [], LIMITS)).rejects.toThrow('apt install iproute2');
  // On macOS nothing is installed by apt.
  const macos = createRunProcess({ platform: 'macos', path: folder });
  await expect(macos('nmap', [], LIMITS)).rejects.toThrow(/^nmap is not installed on the agent's host$/);
});

test('a file that may not be executed, or whose interpreter is missing, counts as not installed', async () => {
  await writeFile(join(folder, 'plain'), 'echo hello\n', { mode: 0o644 });
  await writeFile(join(folder, 'orphan'), '#!/nonexistent/interpreter\n');
  await chmod(join(folder, 'orphan'), 0o755);
  await expect(run(join(folder, 'plain'), [], LIMITS)).rejects.toMatchObject({ reason: 'tool_missing' });
  for (const path of [folder, `${folder}:/usr/bin:/bin`]) {
    await expect(createRunProcess({ path })('orphan', [], LIMITS)).rejects.toMatchObject({ reason: 'tool_missing' });
  }
});

test('output beyond the limit is dropped, the program runs to its end', async () => {
  const lines: string[] = [];
  const finished = await sh('i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done; exit 7', {
    maxBytes: 1000,
    onLine: (line) => lines.push(line),
  });
  expect(finished).toMatchObject({ code: 7, truncated: true, timedOut: false });
  expect(finished.stdout).toHaveLength(1000);
  expect(finished.stdout.startsWith('line 0\nline 1\n')).toBe(true);
  expect(lines.join('\n')).toBe(finished.stdout);
});

test('a program that outlives its limit is ended, and what it printed is kept', async () => {
  stopTheClock();
  const onLine = () => vi.advanceTimersByTime(60_000);
  const finished = await sh('echo started; sleep 3600', { timeoutMs: 60_000, onLine });
  expect(finished).toEqual({ ...FINISHED, stdout: 'started\n', code: null, signal: 'SIGTERM', timedOut: true });
});

test('a cancelled program ends at once', async () => {
  const controller = new AbortController();
  stopTheClock();
  const onLine = () => controller.abort();
  const finished = await sh('echo started; sleep 3600', { signal: controller.signal, onLine });
  expect(finished).toMatchObject({ stdout: 'started\n', signal: 'SIGTERM', aborted: true, timedOut: false });
});

test('a program that ignores TERM is killed two seconds later, and its children with it', async () => {
  const file = join(folder, 'grandchild');
  stopTheClock();
  const ended = sh(`trap '' TERM; sh -c 'echo $$ > ${file}; while :; do sleep 1; done' & wait`, { timeoutMs: 300 });
  const pid = await pidIn(file);
  vi.advanceTimersByTime(300 + 1_999);
  await sleep(200);
  expect(await isAlive(pid)).toBe(true);
  vi.advanceTimersByTime(1);
  expect(await ended).toMatchObject({ signal: 'SIGKILL', timedOut: true });
  expect(await isAlive(pid)).toBe(false);
});

test('children that a program leaves behind are gone when it has ended', async () => {
  const file = join(folder, 'leftover');
  stopTheClock(); // With what is there, no wait needs a deadline.
  const finished = await sh(
    `sh -c 'trap "" TERM HUP; echo $$ > ${file}; exec sleep 3600' & while [ ! -s ${file} ]; do :; done`,
  );
  expect(finished).toMatchObject({ code: 0, timedOut: false });
  expect(await isAlive(await pidIn(file))).toBe(false);
});

test('a process that leaves the group cannot hold up the answer', async () => {
  const file = join(folder, 'escaped');
  const finished = await sh(
    `setsid sh -c 'echo $$ > ${file}; exec sleep 3600' & while [ ! -s ${file} ]; do :; done; echo done`,
  );
  expect(finished).toMatchObject({ stdout: 'done\n', code: 0 });
  const pid = await pidIn(file);
  expect(await isAlive(pid)).toBe(true);
  process.kill(pid, 'SIGKILL');
});

test('the start of each group is reported', async () => {
  const started: number[] = [];
  const watched = createRunProcess({ onStart: (pid) => started.push(pid) });
  const { stdout } = await watched('sh', ['-c', 'echo $$'], LIMITS);
  expect(started).toEqual([Number(stdout)]);
});

onLinux('programs run at a lower priority than the agent', async () => {
  const controller = new AbortController();
  const niceOf = async (pid: number | 'self') =>
    Number(/\) (?:\S+ ){16}(-?\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  // The agent's own session may have a priority, too; that of the program counts among sessions.
  const groupOf = (pid: number) => readFile(`/proc/${pid}/autogroup`, 'utf8').catch(() => null);
  let priorities: Promise<[number, string | null]> | undefined;
  const watched = createRunProcess({
    onStart(pid) {
      priorities = Promise.all([niceOf(pid), groupOf(pid)]);
      priorities.finally(() => controller.abort());
    },
  });
  await watched('sleep', ['3600'], { ...LIMITS, signal: controller.signal });
  const expected = Math.min(19, (await niceOf('self')) + 5);
  const [nice, group] = (await priorities) ?? [];
  expect(nice).toBe(expected);
  if (group !== null) expect(group).toContain(`nice ${expected}\n`);
});

/** A directory with a setpriv that writes down how it is called, and where it does. */
async function watchedSetpriv() {
  const directory = makeTestFolder(folder).path;
  const log = join(directory, 'calls');
  await writeFile(join(directory, 'setpriv'), `#!/bin/sh\necho "$@" >> ${log}\nexec /usr/bin/setpriv "$@"\n`);
  await chmod(join(directory, 'setpriv'), 0o755);
  return { directory, calls: async () => (await readFile(log, 'utf8')).trimEnd().split('\n') };
}

onLinux(
  'whether programs can be tied to the agent is tried once a process, and one that ends by itself is not',
  async () => {
    const { directory, calls } = await watchedSetpriv();
    const echo = (text: string, endsByItself = false) =>
      createRunProcess({ path: `${directory}:/usr/bin:/bin` })('echo', [text], { ...LIMITS, endsByItself });
    expect((await echo('short', true)).stdout).toBe('short\n');
    await Promise.all(['one', 'two', 'three'].map((text) => echo(text)));
    await echo('four');
    const all = (await calls()).map((call) => call.replace(/.*\//, ''));
    expect(all.toSorted()).toEqual(['echo four', 'echo one', 'echo three', 'echo two', 'true']);
  },
);

onLinux('a program that the agent may not start is not called missing', async () => {
  const { directory } = await watchedSetpriv();
  const refuses =
    '#!/bin/sh\ncase "$*" in */true) exit 0;; esac\necho \'setpriv: failed to execute x: Operation not permitted\' >&2\nexit 126\n';
  await writeFile(join(directory, 'setpriv'), refuses);
  await expect(createRunProcess({ path: `${directory}:/usr/bin:/bin` })('echo', [], LIMITS)).rejects.toMatchObject({
    reason: 'tool_failed',
    message: "echo is installed on the agent's host, but the agent may not start it",
  });
});

test.each([
  ['with', ':/usr/bin:/bin'],
  ['without', ''],
])('a program stays where it was found until it has gone, %s setpriv', async (_with, rest) => {
  const [first, second] = [makeTestFolder(folder).path, makeTestFolder(folder).path];
  const path = `${first}:${second}${rest}`;
  const install = async (directory: string) => {
    await writeFile(join(directory, 'which-one'), `#!/bin/sh\necho ${directory}\n`);
    await chmod(join(directory, 'which-one'), 0o755);
  };
  const ask = async () => (await createRunProcess({ path })('which-one', [], LIMITS)).stdout.trim();
  await expect(ask()).rejects.toMatchObject({ reason: 'tool_missing' });
  await install(second);
  expect(await ask()).toBe(second);
  await install(first);
  expect(await ask()).toBe(second); // Not looked for again.
  await rm(join(second, 'which-one'));
  await expect(ask()).rejects.toMatchObject({ reason: 'tool_missing' });
  expect(await ask()).toBe(first);
});

onLinux('programs die with the agent, even when it is killed', async () => {
  const file = join(folder, 'orphaned');
  const bundle = join(folder, 'agent.mjs');
  const contents = `import { createRunProcess } from './run-process.ts';
    await createRunProcess()('sh', ['-c', 'echo $$ > ${file}; exec sleep 3600'], { timeoutMs: 3_600_000, maxBytes: 10 });`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const agent = spawn(process.execPath, [bundle], { stdio: 'inherit' });
  const pid = await pidIn(file);
  expect(await isAlive(pid)).toBe(true);
  agent.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('what streams its output is read as it comes, waits while nothing is taken, and runs until it is aborted', async () => {
  const ended = new AbortController();
  let bytes = 0;
  let isTaking = true;
  const wantsMore = deferred<void>();
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < 1_000_000 || !isTaking) return undefined;
    isTaking = false;
    return wantsMore.promise;
  };
  const options: RunOptions = { timeoutMs: null, maxBytes: 100, signal: ended.signal, onData };
  const running = run('head', ['-c', '5000000', '/dev/zero'], options);
  await expect.poll(() => isTaking).toBe(false);
  const taken = bytes;
  await sleep(200);
  expect(bytes).toBe(taken);
  wantsMore.resolve();
  expect(await running).toMatchObject({ stdout: '', code: 0, truncated: false });
  expect(bytes).toBe(5_000_000);
  const endless = run('sleep', ['infinity'], options);
  ended.abort();
  expect(await endless).toMatchObject({ aborted: true, timedOut: false });
});
