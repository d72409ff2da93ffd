import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { folderOfEachTest } from '../test/support/folder-of-tests.ts';
import { childrenOf, descendantsOf, isRunning } from '../test/support/processes.ts';
import { childEnvironment, SETTINGS } from './config.ts';
import { openDataFolder } from './data-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'local.js');
const base = folderOfEachTest();
const folder = () => join(base.path, 'data');
const started: ChildProcess[] = [];

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
  return follow(
    spawn(process.execPath, ['--enable-source-maps', PROGRAM, ...args], optionsFor(base.path, environment)),
  );
}

/** What a terminal sends for Ctrl-C. */
const CTRL_C = '\u0003';

/** The same on a terminal of its own, which puts a CR before each LF. */
function runOnTerminal() {
  const words = [process.execPath, '--enable-source-maps', PROGRAM].map((word) => `'${word}'`).join(' ');
  // Without "exec" a shell would stay between, and also get Ctrl-C.
  const args = ['--quiet', '--return', '--command', `exec ${words}`, '/dev/null'];
  return follow(spawn('script', args, optionsFor(base.path)));
}

/**
 * `npm start`, as people type it, in a folder in which it does all but build, which takes ten seconds of a processor
 * (`test/thorough/packaging` has the whole of it). It asks no registry for news of npm.
 */
function npmStart() {
  const root = join(base.path, 'built');
  mkdirSync(join(root, 'scripts'), { recursive: true });
  const { start } = packageJson.scripts;
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', scripts: { start } }));
  copyFileSync(join(ROOT, 'scripts', 'start.mjs'), join(root, 'scripts', 'start.mjs'));
  writeFileSync(join(root, 'scripts', 'prepare.mjs'), '');
  symlinkSync(join(ROOT, 'dist'), join(root, 'dist'));
  const quiet = { npm_config_update_notifier: 'false', npm_config_offline: 'true' };
  return follow(spawn('npm', ['start'], optionsFor(root, quiet)));
}

const optionsFor = (cwd: string, environment: Record<string, string> = {}) => ({
  cwd,
  env: { ...childEnvironment(), PORT: '0', MQTT_PORT: '0', LANREACH_DATA: folder(), ...environment },
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
    /** @returns the screen */
    async ready() {
      await vi.waitUntil(() => stdout.includes('Ctrl-C stops everything.') || child.exitCode !== null, {
        timeout: 180_000,
        interval: 20,
      });
      // What is logged at level info is for a test that sets LOG_LEVEL; what npm itself warns of is for the one who has configured it.
      expect(stderr.split('\n').filter((line) => !/^(?:npm |\{"level":30|$)/.test(line))).toEqual([]);
      return stdout;
    },
  };
}

const allGone = (pids: number[]) => vi.waitUntil(() => !pids.some(isRunning), { timeout: 180_000 });

const urlOn = (screen: string) => /URL {7}(\S+)/.exec(screen)?.[1];

/** @param screen what the server has shown */
async function ask(screen: string, method: string, path: string, body?: object): Promise<unknown> {
  const authorization = `Bearer ${readFileSync(join(folder(), 'api-token'), 'utf8').trim()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${urlOn(screen)}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
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
  expect(existsSync(folder())).toBe(false);
});

test('a setting that cannot be used stops the start with its name, and so does an option that does not exist', async () => {
  const bad = run([], { PORT: 'eighty', LOG_LEVEL: 'loud' });
  expect(await bad.ended).toBe(2);
  expect(bad.stderr()).toMatch(/^Cannot start: these settings are invalid\.\nPORT: .*\nLOG_LEVEL: /);
  const unknown = run(['--prot', '80']);
  expect(await unknown.ended).toBe(2);
  expect(unknown.stderr()).toContain("Unknown option '--prot'");
  expect(existsSync(folder())).toBe(false);
});

test('the screen says what a newcomer needs, but no secret where it may be a log; Ctrl-C that comes again ends everything at once', async () => {
  const first = run();
  const screen = await first.ready();
  for (const part of ['programs', 'data', 'database', 'broker', 'API', 'agent']) {
    expect(screen).toMatch(new RegExp(`^ {2}${part.padEnd(10)}\\S`, 'm'));
  }
  expect(screen).toContain('  agent     home:main, online\n');
  const token = readFileSync(join(folder(), 'api-token'), 'utf8').trim();
  expect(screen).not.toContain(token.slice(20));
  expect(first.stderr()).toBe('');
  expect(screen).toMatch(/^ {2}open {6}\S+\/console\/\n {12}Sign in by: lanreach open, or/m);
  expect(screen).toContain('  token in  data/api-token\n');
  expect(statSync(join(folder(), 'api-token')).mode & 0o777).toBe(0o600);
  expect(screen).toContain(`after: export LANREACH_URL=${urlOn(screen)} LANREACH_DATA=data\n`);
  await ask(screen, 'GET', '/nettools/interfaces');

  const [agent, ...others] = childrenOf(first.child.pid!);
  expect(others).toEqual([]);
  const processes = descendantsOf(first.child.pid!);
  process.kill(agent!, 'SIGSTOP'); // The orderly stop waits for it for five seconds.
  first.child.kill('SIGINT');
  const again = setInterval(() => first.child.kill('SIGINT'), 200);
  expect(await first.ended).toBe(130);
  clearInterval(again);
  await allGone(processes);
});

test('a token of ones own is neither shown nor written down; the log shows requests as JSON; a second start says that one is in the way; Ctrl-C stops everything in order, and counts once when it arrives twice, as under npm', async () => {
  const mine = run([], { API_TOKEN: 'correct-horse-battery-staple', LOG_LEVEL: 'info' });
  const screen = await mine.ready();
  expect(screen).not.toContain('correct-horse');
  expect(screen).toContain('LANREACH_TOKEN="$API_TOKEN"');
  expect(existsSync(join(folder(), 'api-token'))).toBe(false);
  const processes = descendantsOf(mine.child.pid!);
  for (const pid of [mine.child.pid!, ...processes]) {
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('correct-horse');
  }
  for (const pid of processes) expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('correct-horse');

  await (await fetch(`${urlOn(screen)}/health`)).arrayBuffer();
  await vi.waitUntil(() => mine.stderr().includes('"/health"'), { timeout: 180_000 });
  const lines = mine.stderr().trim().split('\n');
  expect(lines.map((line) => typeof JSON.parse(line).msg)).toEqual(lines.map(() => 'string'));

  const second = run();
  expect(await second.ended).toBe(1);
  // On a machine that stands still, the holder may not say its number within the second that it has for that.
  expect(second.stderr()).toMatch(new RegExp(`is in use by (?:process ${mine.child.pid}|another process)\\.`));
  expect(mine.child.exitCode).toBe(null);

  mine.child.kill('SIGINT');
  mine.child.kill('SIGINT');
  expect(await mine.ended).toBe(0);
  expect(mine.stdout()).toMatch(/Stopping\. Ctrl-C again ends everything at once\.\nStopped\.\n$/);
  expect(processes.filter(isRunning)).toEqual([]);
});

test('kill -9 loses no write that was acknowledged and leaves no process behind; the next start, on a terminal, goes on, and shows the token in the link that signs in and nowhere else', async () => {
  const first = run();
  const screen = await first.ready();
  const processes = descendantsOf(first.child.pid!);
  const acknowledged: string[] = [];
  const writing = (async () => {
    for (;;) acknowledged.push(await createToken(screen));
  })().catch(() => {}); // It ends with the connection.
  await vi.waitUntil(() => acknowledged.length >= 20, { timeout: 180_000 });
  first.child.kill('SIGKILL');
  await Promise.all([first.ended, writing]);
  await allGone(processes);

  const second = runOnTerminal();
  const shown = await second.ready();
  expect(shown).toContain('agent     home:main, online');
  const { tokens } = (await ask(shown, 'GET', '/tokens')) as { tokens: { id: string }[] };
  expect(tokens.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
  const token = readFileSync(join(folder(), 'api-token'), 'utf8').trim();
  expect(shown).toContain(`  open      ${urlOn(shown)}/console/#token=${token}\r\n`);
  expect(shown.split(token)).toHaveLength(2);
  second.child.stdin.write(CTRL_C);
  expect(await second.ended).toBe(0);
});

test('SIGTERM, which npm passes on, ends it, also during the start', async () => {
  const starting = run();
  await vi.waitUntil(() => starting.stdout().includes('database'), { timeout: 180_000, interval: 5 });
  starting.child.kill('SIGTERM');
  expect(await starting.ended).toBe(0);
  expect(starting.stderr()).toBe('');
});

// SIGHUP ends npm as SIGKILL does.
test('SIGKILL of npm alone ends everything in order and frees the folder', async () => {
  const npm = npmStart();
  await npm.ready();
  const processes = descendantsOf(npm.child.pid!);
  expect(processes.length).toBeGreaterThanOrEqual(2); // The server and its agent.
  npm.child.kill('SIGKILL');
  await npm.ended; // When no process has its output open any more: then the others have ended, too.
  expect(processes.filter(isRunning)).toEqual([]);
  expect(npm.stdout()).toMatch(/Stopped\.\n$/);
  (await openDataFolder(folder())).release();
});
