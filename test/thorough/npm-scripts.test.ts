/** Every script of package.json starts; what takes minutes is run in a small way, and whole in `test/thorough/packaging`. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../local/config.ts';
import { freePort } from '../support/free-port.ts';
import { buildPackages, ROOT } from '../support/packages.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitFor } from '../support/wait-for.ts';

const env = readConfig().childEnvironment;
/** They may leave the copy as it is, or what they generate was not up to date. */
const GENERATORS = ['vendors', 'specification', 'stateful-resources', 'format', 'size'];
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...{ types: 'npm test', lint: 'npm test', check: 'the tests', test: 'the tests', 'test:all': 'the tests' },
  ...{ conformance: 'test/thorough/mcp-conformance', build: 'test/tools-setup.ts', start: 'test/dependencies.test.ts' },
  ...{ bench: 'test/bench/load.system.test.ts', 'prove-deployment': 'test/thorough/lambda/prove-deployment.test.ts' },
  cloud: 'test/thorough/lambda/cloud-command.test.ts',
  messages: 'console/build/messages.test.ts',
  release: 'test/thorough/packaging/release.test.ts',
};

const temporary = makeTestFolder();
const copy = join(temporary.path, 'copy');
beforeAll(async () => {
  const names = await run(ROOT, 'git', 'ls-files');
  for (const name of names.trim().split('\n')) {
    mkdirSync(join(copy, dirname(name)), { recursive: true });
    cpSync(join(ROOT, name), join(copy, name), { verbatimSymlinks: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await run(copy, 'git', 'init', '--quiet');
  await run(copy, 'git', 'add', '--all');
});
afterAll(() => temporary.remove());

/** @returns what it prints @throws {Error} with it, when it fails */
async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const limits = { timeout: 300_000, maxBuffer: 16_000_000 };
  return (await promisify(execFile)(program, args, { cwd, env, ...limits })).stdout;
}

/** Ends a group of processes that has begun with this one. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid!, 'SIGTERM');
  await once(child, 'exit');
}

test('each script of package.json is started by a test', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const started = [...GENERATORS, ...Object.keys(ELSEWHERE), 'package', 'synth', 'console', 'demo'];
  expect(Object.keys(scripts).sort()).toEqual(started.sort());
});

test('what scripts generate is up to date', async () => {
  for (const name of GENERATORS) await run(copy, 'npm', 'run', '--silent', name);
  expect(await run(copy, 'git', 'diff', '--stat')).toBe('');
});

test('npm run synth makes the templates of the stack', async () => {
  await run(copy, 'npm', 'run', '--silent', 'synth');
  expect(readFileSync(join(copy, 'cdk.out', 'manifest.json'), 'utf8')).toContain('aws:cloudformation:stack');
});

test('npm run console serves the page', async () => {
  const port = String(await freePort());
  const args = ['run', 'console', '--', '--host', '127.0.0.1', '--port', port, '--strictPort'];
  // In a group of its own, because npm starts a shell that starts the server.
  const child = spawn('npm', args, { cwd: copy, env, detached: true, stdio: 'ignore' });
  try {
    const page = () =>
      fetch(`http://127.0.0.1:${port}/console/`)
        .then((answer) => answer.text())
        .catch(() => '');
    await waitFor('the page', async () => (await page()).includes('<div id="app">'));
  } finally {
    await stop(child);
  }
});

test('npm run demo shows made-up sites, changes nothing, and stops', async () => {
  const child = spawn('npm', ['run', 'demo'], { cwd: copy, env: { ...env, PORT: '0' }, detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  try {
    const link = () => /open {6}(\S+)\/console\/#token=(\S+)/.exec(said);
    await waitFor(
      () => `the link, after:\n${said}`,
      () => child.exitCode !== null || link() !== null,
      240_000,
    );
    const [, url = '', token = ''] = link() ?? [];
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const statusOf = async (method: string, path: string, body?: string) =>
      (await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })).status;
    expect(await statusOf('GET', '/console/')).toBe(200);
    const { events } = (await (await fetch(`${url}/events?site=home&limit=5`, { headers })).json()) as { events: [] };
    expect(events.length).toBeGreaterThan(0);
    expect(await statusOf('DELETE', '/devices', '{"macs":null}')).toBe(403);
    expect(await statusOf('GET', '/nettools/interfaces?site=home')).toBe(403);
  } finally {
    await stop(child);
  }
}, 300_000);

test('npm run package makes the three programs for npm, with the licences of all that is inside', async () => {
  const made = await buildPackages(join(temporary.path, 'packages'), '--only', 'npm');
  const tarballs = (typeof made === 'string' ? [] : made).filter((name) => name.endsWith('.tgz'));
  const licences = await Promise.all(
    tarballs.map((tarball) => run(ROOT, 'tar', '-xzOf', tarball, 'package/THIRD-PARTY-LICENSES')),
  );
  expect(licences.map((text) => /^zod \d/m.test(text))).toEqual([true, true, true]);
  expect(licences.filter((text) => text.includes('SIL OPEN FONT LICENSE'))).toHaveLength(1);
});
