import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { childrenOf, descendantsOf, isRunning } from '../test/support/processes.ts';
import { childEnvironment, SETTINGS } from './config.ts';
import { openDataFolder } from './data-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'local.js');
const temporary = folderOfEachTest();
let base: string;
let folder: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  base = temporary.path;
  folder = join(base, 'data');
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
});

/** `npm start` without npm and the build. */
function run(args: string[] = [], environment: Record<string, string> = {}) {
  return follow(spawn(process.execPath, ['--enable-source-maps', PROGRAM, ...args], optionsFor(base, environment)));
}

/** What a terminal sends for Ctrl-C. */
const CTRL_C = '\u0003';

/** The same on a terminal of its own, which puts a CR before each LF. */
function runOnTerminal(environment: Record<string, string> = {}) {
  const words = [process.execPath, '--enable-source-maps', PROGRAM].map((word) => `'${word}'`).join(' ');
  // Without "exec" a shell would stay between, and also get Ctrl-C.
  const args = ['--quiet', '--return', '--command', `exec ${words}`, '/dev/null'];
  return follow(spawn('script', args, optionsFor(base, environment)));
}

/** `npm start`, as people type it; it asks no registry for news of npm. */
function npmStart(root: string) {
  const quiet = { npm_config_update_notifier: 'false', npm_config_offline: 'true' };
  return follow(spawn('npm', ['start'], optionsFor(root, quiet)));
}

/** A folder in which `npm start` does all but build, which takes ten seconds of a processor. */
function makeBuiltFolder(): string {
  const root = join(base, 'built');
  mkdirSync(join(root, 'scripts'), { recursive: true });
  const { start } = packageJson.scripts;
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', scripts: { start } }));
  copyFileSync(join(ROOT, 'scripts', 'start.mjs'), join(root, 'scripts', 'start.mjs'));
  writeFileSync(join(root, 'scripts', 'prepare.mjs'), '');
  symlinkSync(join(ROOT, 'dist'), join(root, 'dist'));
  return root;
}

const optionsFor = (cwd: string, environment: Record<string, string>) => ({
  cwd,
  env: { ...childEnvironment(), PORT: '0', MQTT_PORT: '0', LANREACH_DATA: folder, ...environment },
});

function follow(child: ChildProcessWithoutNullStreams) {
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
        timeout: 180_000,
        interval: 20,
      });
      // What npm itself warns of is for whoever has configured it.
      expect(stderr.split('\n').filter((line) => !/^(?:npm |$)/.test(line))).toEqual([]);
    },
  };
}

const allGone = (pids: number[]) => vi.waitUntil(() => !pids.some(isRunning), { timeout: 180_000 });

/** @param screen what the server has shown */
async function ask(screen: string, method: string, path: string, body?: object): Promise<unknown> {
  const url = /URL {7}(\S+)/.exec(screen)?.[1];
  const authorization = `Bearer ${readFileSync(join(folder, 'api-token'), 'utf8').trim()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function createToken(screen: string): Promise<string> {
  const wanted = { name: 'one of many', scopes: ['devices:read'], sites: ['home'] };
  return ((await ask(screen, 'POST', '/tokens', wanted)) as { id: string }).id;
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

test('a setting that cannot be used stops the start with its name, and so does an option that does not exist', async () => {
  const bad = run([], { PORT: 'eighty', LOG_LEVEL: 'loud' });
  expect(await bad.ended).toBe(2);
  expect(bad.stderr()).toMatch(/^Cannot start: these settings are invalid\.\nPORT: .*\nLOG_LEVEL: /);
  const unknown = run(['--prot', '80']);
  expect(await unknown.ended).toBe(2);
  expect(unknown.stderr()).toContain("Unknown option '--prot'");
  expect(existsSync(folder)).toBe(false);
});

test('the screen says what a newcomer needs, but no secret where it may be a log; Ctrl-C stops everything', async () => {
  const first = run();
  await first.ready();
  const screen = first.stdout();
  for (const part of ['programs', 'data', 'database', 'broker', 'API', 'agent']) {
    expect(screen).toMatch(new RegExp(`^ {2}${part.padEnd(10)}\\S`, 'm'));
  }
  const token = readFileSync(join(folder, 'api-token'), 'utf8').trim();
  expect(screen + first.stderr()).not.toContain(token.slice(20));
  expect(screen).toMatch(
    /^ {2}open {6}\S+\/console\/\n {12}Sign in by: lanreach open, or with the token in the file below\.$/m,
  );
  expect(screen).toContain('  agent     home:main, online\n');
  expect(screen).toMatch(/^Ready after \d+\.\d s\.$/m);
  expect(screen).toContain('  token in  data/api-token\n');
  expect(statSync(join(folder, 'api-token')).mode & 0o777).toBe(0o600);
  const url = /URL {7}(\S+)/.exec(screen)?.[1];
  expect(screen).toContain(
    `Next, in a second terminal in this folder, after: export LANREACH_URL=${url} LANREACH_DATA=data\n`,
  );
  const response = await fetch(`${url}/nettools/interfaces`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);

  expect(childrenOf(first.child.pid!).length).toBe(1);
  const processes = descendantsOf(first.child.pid!);
  first.child.kill('SIGINT');
  expect(await first.ended).toBe(0);
  expect(first.stdout()).toMatch(/Stopping\. Ctrl-C again ends everything at once\.\nStopped\.\n$/);
  expect(processes.filter(isRunning)).toEqual([]);
});

test('on a terminal the token is shown in the link that signs in, and nowhere else', async () => {
  const first = runOnTerminal();
  await first.ready();
  const token = readFileSync(join(folder, 'api-token'), 'utf8').trim();
  const url = /URL {7}(\S+)/.exec(first.stdout())?.[1];
  expect(first.stdout()).toContain(`  open      ${url}/console/#token=${token}\r\n`);
  expect(first.stdout().split(token)).toHaveLength(2);
  first.child.stdin.write(CTRL_C);
  expect(await first.ended).toBe(0);
});

test('a token of ones own is neither shown nor written down', async () => {
  const mine = run([], { API_TOKEN: 'correct-horse-battery-staple' });
  await mine.ready();
  expect(mine.stdout()).not.toContain('correct-horse');
  expect(mine.stdout()).toMatch(/^ {2}open {6}http:\S+\/console\/\n {12}Sign in with the token in API_TOKEN\.$/m);
  expect(mine.stdout()).toContain('LANREACH_TOKEN="$API_TOKEN"');
  expect(existsSync(join(folder, 'api-token'))).toBe(false);
  for (const pid of [mine.child.pid!, ...descendantsOf(mine.child.pid!)]) {
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('correct-horse');
  }
  for (const pid of descendantsOf(mine.child.pid!)) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('correct-horse');
  }
});

test('kill -9 loses no write that was acknowledged, leaves no process behind, and the next start goes on', async () => {
  const first = run();
  await first.ready();
  const processes = descendantsOf(first.child.pid!);
  const acknowledged: string[] = [];
  const writing = (async () => {
    for (;;) acknowledged.push(await createToken(first.stdout()));
  })().catch(() => {}); // It ends with the connection.
  await vi.waitUntil(() => acknowledged.length >= 20, { timeout: 180_000 });
  first.child.kill('SIGKILL');
  await Promise.all([first.ended, writing]);
  await allGone(processes);
  const second = run();
  await second.ready();
  expect(second.stdout()).toContain('agent     home:main, online');
  const { tokens } = (await ask(second.stdout(), 'GET', '/tokens')) as { tokens: { id: string }[] };
  expect(tokens.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
});

test('Ctrl-C during the start ends it', async () => {
  const starting = run();
  await vi.waitUntil(() => starting.stdout().includes('database'), { timeout: 180_000, interval: 5 });
  starting.child.kill('SIGINT');
  expect(await starting.ended).toBe(0);
  expect(starting.stderr()).toBe('');
});

test('the log shows requests as JSON on standard error, a second start in the same folder says which process is in the way, and Ctrl-C that arrives twice, as under npm, counts once; a second one ends everything at once', async () => {
  const first = run([], { LOG_LEVEL: 'info' });
  await vi.waitUntil(() => first.stdout().includes('Ctrl-C stops everything.'), { timeout: 180_000 });
  const url = /URL {7}(\S+)/.exec(first.stdout())![1];
  await (await fetch(`${url}/health`)).arrayBuffer();
  await vi.waitUntil(() => first.stderr().includes('"/health"'), { timeout: 180_000 });
  const lines = first.stderr().trim().split('\n');
  expect(lines.map((line) => typeof JSON.parse(line).msg)).toEqual(lines.map(() => 'string'));

  const second = run();
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toContain(`is in use by process ${first.child.pid}.`);
  expect(first.child.exitCode).toBe(null);

  first.child.kill('SIGINT');
  first.child.kill('SIGINT');
  expect(await first.ended).toBe(0);
  expect(first.stdout()).toMatch(/Stopped\.\n$/);

  const hasty = run();
  await hasty.ready();
  const processes = descendantsOf(hasty.child.pid!);
  const agent = childrenOf(hasty.child.pid!).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('agent.js'),
  );
  process.kill(agent!, 'SIGSTOP'); // The orderly stop waits for it for five seconds.
  hasty.child.kill('SIGINT');
  const again = setInterval(() => hasty.child.kill('SIGINT'), 200);
  expect(await hasty.ended).toBe(130);
  clearInterval(again);
  await allGone(processes);
});

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  '%s of npm, and of npm alone, ends everything in order and frees the folder',
  async (signal) => {
    const npm = npmStart(signal === 'SIGTERM' ? ROOT : makeBuiltFolder());
    await npm.ready();
    const processes = descendantsOf(npm.child.pid!);
    expect(processes.length).toBeGreaterThanOrEqual(2); // The server and its agent.
    npm.child.kill(signal);
    await npm.ended; // When nobody has its output open any more: then the others have ended, too.
    expect(processes.filter(isRunning)).toEqual([]);
    expect(npm.stdout()).toMatch(/Stopped\.\n$/);
    (await openDataFolder(folder)).release();
  },
);
