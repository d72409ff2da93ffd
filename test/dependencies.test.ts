/** Every program of dist/ beside the packages of `dependencies` and no others, as `npm ci --omit=dev` installs them. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, runToEnd } from '../local/child-process.ts';
import packageJson from '../package.json' with { type: 'json' };
import { startServerProcess } from './support/server-process.ts';
import { makeTestFolder } from './support/test-folder.ts';

const ROOT = join(import.meta.dirname, '..');
/** They measure or deploy this project, with what its tests and its stack use. */
const FOR_DEVELOPMENT = ['bench', 'costs', 'cloud'];
const PROGRAMS = [
  ...readFileSync(join(ROOT, 'scripts', 'build.mjs'), 'utf8').matchAll(/\{ entry: .*? name: '([^']+)'/g),
]
  .map(([, name = '']) => name)
  .filter((name) => !FOR_DEVELOPMENT.includes(name));

// Outside of the project, whose node_modules would be found otherwise.
const installed = makeTestFolder();
const withoutSdk = makeTestFolder();

beforeAll(() => {
  const packages = Object.keys(packageJson.dependencies);
  install(installed.path, packages);
  const ofOthers = packages.filter((name) => !name.startsWith('@aws-sdk/'));
  expect(ofOthers.length).toBeLessThan(packages.length);
  install(withoutSdk.path, ofOthers);
});
afterAll(() => Promise.all([installed.remove(), withoutSdk.remove()]));

function install(folder: string, packages: readonly string[]): void {
  const filter = (file: string) => !/\.map$|\/dist\/packages$/.test(file);
  for (const part of ['dist', 'docs/openapi.json']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter });
  }
  for (const name of packages) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
}

function run(folder: string, name: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const program = join(folder, 'dist', `${name}.js`);
  return runToEnd([process.execPath, '--no-warnings', program, ...args], {
    env: { PATH: process.env.PATH, LANREACH_DATA: join(folder, 'data'), LANREACH_INSTALL: 'no', ...env },
    timeoutMs: 60_000,
  });
}

test('the programs are found', () => {
  expect(PROGRAMS).toEqual(expect.arrayContaining(['local', 'cli', 'agent', 'launcher', 'prove-deployment']));
});

// Those two run below.
test.each(PROGRAMS.filter((name) => !['local', 'agent'].includes(name)))('%s finds its packages', async (name) => {
  const { output } = await run(installed.path, name, ['--help']);
  // A path is a file beside the program: the launcher looks for the agent as a package installs it.
  expect(output).not.toMatch(/Cannot find (?:package|module) '(?!\/)/);
});

test('the server starts, with its agent, and is healthy', async () => {
  const server = await startServerProcess(
    join(installed.path, 'dist', 'local.js'),
    installed.path,
    'correct-horse-battery-staple',
  );
  const { status } = await fetch(new URL('/health', server.url));
  const { code, screen } = await server.stop();
  expect([status, code, screen]).toEqual([200, 0, expect.stringContaining('online')]);
});

test('the AWS SDK is read only where DynamoDB is used', async () => {
  expect((await run(withoutSdk.path, 'local', ['--version'])).code).toBe(0);
  const nowhere = { DYNAMODB_ENDPOINT: 'http://127.0.0.1:4/' };
  expect((await run(installed.path, 'local', [], nowhere)).output).toContain('Cannot use http://127.0.0.1:4/');
});
