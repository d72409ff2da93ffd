import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { childEnvironment, SETTINGS } from './config.ts';

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'local.js');
let base: string;
let folder: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lanreach-main-'));
  folder = join(base, 'data');
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
  rmSync(base, { recursive: true });
});

/** `npm start` without the build. */
function run(args: string[] = [], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--enable-source-maps', PROGRAM, ...args], {
    cwd: base,
    env: { ...childEnvironment(), PORT: '0', MQTT_PORT: '0', LANREACH_DATA: folder, ...environment },
  });
  started.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    async ready() {
      await vi.waitUntil(() => stdout.includes('Ctrl-C stops everything.') || child.exitCode !== null, {
        timeout: 20_000,
        interval: 20,
      });
      expect(stderr).toBe('');
    },
  };
}

/** The children of a process, by their command lines. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('the help tells every setting, and the version is that of the package', async () => {
  const help = run(['--help']);
  expect(await help.ended).toBe(0);
  for (const name of Object.keys(SETTINGS)) expect(help.stdout()).toContain(`  ${name} `);
  const version = run(['--version']);
  expect(await version.ended).toBe(0);
  expect(version.stdout()).toBe(`${packageJson.version}\n`);
  expect(existsSync(folder)).toBe(false);
});

test('a setting that cannot be used stops the start with its name', async () => {
  const bad = run([], { PORT: 'eighty', LOG_LEVEL: 'loud' });
  expect(await bad.ended).toBe(2);
  expect(bad.stderr()).toMatch(/^Cannot start: these settings cannot be used\.\nPORT: .*\nLOG_LEVEL: /);
  expect(existsSync(folder)).toBe(false);
});

test('an option that does not exist is refused', async () => {
  const bad = run(['--prot', '80']);
  expect(await bad.ended).toBe(2);
  expect(bad.stderr()).toContain("Unknown option '--prot'");
});

test('the screen says what a newcomer needs, the token only once, and Ctrl-C stops everything', async () => {
  const first = run();
  await first.ready();
  const screen = first.stdout();
  for (const part of ['programs', 'data', 'database', 'broker', 'API', 'agent']) {
    expect(screen).toMatch(new RegExp(`^ {2}${part.padEnd(10)}\\S`, 'm'));
  }
  const token = readFileSync(join(folder, 'api-token'), 'utf8').trim();
  expect(screen).toContain(`  token     ${token}  (shown this once)\n  token in  data/api-token\n`);
  expect(screen).toContain('  site      home\n  agent     home:main, online\n');
  expect(statSync(join(folder, 'api-token')).mode & 0o777).toBe(0o600);
  const [, bearer, url] = /curl -H "Authorization: Bearer \$\(cat (\S+)\)" (\S+)/.exec(screen)!;
  expect(readFileSync(join(base, bearer!), 'utf8').trim()).toBe(token);
  const response = await fetch(url!, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);

  const children = childrenOf(first.child.pid!);
  expect(children.length).toBe(2);
  first.child.kill('SIGINT');
  expect(await first.ended).toBe(0);
  expect(first.stdout()).toMatch(/Stopping\. Ctrl-C again ends everything at once\.\nStopped\.\n$/);
  expect(children.filter(isRunning)).toEqual([]);

  const second = run();
  await second.ready();
  expect(second.stdout()).not.toContain(token);
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('a token of ones own is neither shown nor written down', async () => {
  const mine = run([], { API_TOKEN: 'correct-horse-battery-staple' });
  await mine.ready();
  expect(mine.stdout()).not.toContain('correct-horse');
  expect(mine.stdout()).toContain('Bearer $API_TOKEN');
  expect(existsSync(join(folder, 'api-token'))).toBe(false);
  for (const pid of [mine.child.pid!, ...childrenOf(mine.child.pid!)]) {
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('correct-horse');
  }
  for (const pid of childrenOf(mine.child.pid!)) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('correct-horse');
  }
});

test('a second start in the same folder says which process is in the way', async () => {
  const first = run();
  await first.ready();
  const second = run();
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toContain(`is in use by process ${first.child.pid}.`);
  expect(first.child.exitCode).toBe(null);
});

test('kill -9 leaves no process behind, and the next start goes on', async () => {
  const first = run();
  await first.ready();
  const children = childrenOf(first.child.pid!);
  first.child.kill('SIGKILL');
  await first.ended;
  await vi.waitUntil(() => !children.some(isRunning), { timeout: 10_000 });
  const second = run();
  await second.ready();
  expect(second.stdout()).toContain('agent     home:main, online');
});

test('Ctrl-C during the start ends it, and a second one ends it at once', async () => {
  const starting = run();
  await vi.waitUntil(() => starting.stdout().includes('database'), { timeout: 10_000, interval: 5 });
  starting.child.kill('SIGINT');
  expect(await starting.ended).toBe(0);
  expect(starting.stderr()).toBe('');

  const hasty = run();
  await hasty.ready();
  const children = childrenOf(hasty.child.pid!);
  hasty.child.kill('SIGINT');
  hasty.child.kill('SIGINT');
  expect([0, 130]).toContain(await hasty.ended); // Two signals at once may arrive as one.
  await vi.waitUntil(() => !children.some(isRunning), { timeout: 10_000 });
});

test('the log shows requests when it is asked to, as JSON on standard error', async () => {
  const system = run([], { LOG_LEVEL: 'info' });
  await vi.waitUntil(() => system.stdout().includes('Ctrl-C stops everything.'), { timeout: 20_000 });
  const url = /URL {7}(\S+)/.exec(system.stdout())![1];
  await (await fetch(`${url}/health`)).arrayBuffer();
  await vi.waitUntil(() => system.stderr().includes('"/health"'), { timeout: 10_000 });
  const lines = system.stderr().trim().split('\n');
  expect(lines.map((line) => typeof JSON.parse(line).msg)).toEqual(lines.map(() => 'string'));
});
