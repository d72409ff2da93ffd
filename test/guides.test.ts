/** The commands of the guides, as they stand there, against a running system. Blocks marked "console" are not run. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../local/programs.ts';
import { useSharedSystem } from './support/shared-system.ts';
import { makeTestFolder } from './support/test-folder.ts';
import type { TestSystem } from './test-system.ts';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

let system: TestSystem;
useSharedSystem((shared) => {
  system = shared;
});

/** A user's machine may lack one; in CI that is a failure. */
function missingPrograms(): string[] {
  if (process.env.CI === 'true') return [];
  return ['bash', 'curl', 'jq'].filter((name) => findProgram(name, process.env.PATH ?? '') === null);
}

/** Runs all blocks of a guide, one after the other, in one shell that ends at the first failure. */
async function runGuide(name: string, devices = ''): Promise<string> {
  const page = readFileSync(join(ROOT, 'docs', name), 'utf8');
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(0);
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, '.lanreach'));
  await writeFile(join(folder.path, '.lanreach', 'api-token'), `${system.token}\n`);
  await writeFile(join(folder.path, 'seed.csv'), devices);
  const script = [
    'set -euo pipefail',
    'curl() { command curl --fail "$@"; }',
    `npx() { [ "$1" = lanreach ] && shift && "${process.execPath}" "${join(ROOT, 'dist', 'cli.js')}" "$@"; }`,
    // For pages whose URL is set in the text of another one.
    `URL=${system.url} AUTH="Authorization: Bearer ${system.token}"`,
    ...(devices === '' ? [] : ['npx lanreach devices import seed.csv']),
    ...blocks,
  ].join('\n');
  const { stdout } = await run('bash', ['-c', script], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path, LANREACH_URL: system.url, LANREACH_TOKEN: system.token },
    timeout: 240_000,
  });
  return stdout;
}

test('README.md: the first five minutes work when copied, with whatever devices there are', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide('../README.md', 'devName,devMAC,devLastIP\n(unknown),00:1E:06:AA:BB:07,127.0.0.1\n');
  expect(shown).toMatch(/\bexample\b/);
  expect(shown).toMatch(/^last delivery +-$/m);
});

test('docs/home-lan.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide('home-lan.md');
  expect(shown).toMatch(/^ {2}Owner +me$/m);
  expect(shown).toMatch(/edited +00:1E:06:AA:BB:01/);
});

test('docs/guide/tour.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide('guide/tour.md');
  expect(shown).toMatch(/^nas\t00:1E:06:AA:BB:01\t192\.168\.1\.20\tonline$/m);
  expect(shown).toMatch(/^(running|accepted|queued)\n(?:.*\n)*cancelled$/m);
  expect(shown).toMatch(/^lanreach_devices\{site="[^"]+",status="online"\} /m);
});

test('docs/several-sites.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const shown = await runGuide('several-sites.md');
  expect(shown).toMatch(/^cabin +Cabin by the lake/m);
  expect(shown).toMatch(/^lr_[0-9a-f]{16}\./m);
});

test('docs/recipes.md: every command works as it stands there', async ({ skip }) => {
  skip(missingPrograms().length > 0, `missing: ${missingPrograms().join(', ')}`);
  const devices = 'devName,devMAC,devLastIP\nnas,00:1E:06:AA:BB:01,192.168.1.20\nprinter,00:1E:06:AA:BB:02,\n';
  const shown = await runGuide('recipes.md', devices);
  expect(shown).toMatch(/^updated +2$/m);
  expect(shown).toMatch(
    /^address,status,device,interface,is_primary\n"192\.168\.1\.\d+\/24","active","\w+ 00:1E:06:AA:BB:\d\d",/m,
  );
  // A fast machine has ended the command before its events are read: then they begin with the result.
  expect(shown).toMatch(/^event: result$/m);
});
