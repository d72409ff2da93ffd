/** Runs the commands of a guide as they stand there, against a running system. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { findProgram } from '../../local/programs.ts';
import type { ApiClient } from '../api-client.ts';
import { makeTestFolder } from './test-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** A user's machine may lack one; in CI that is a failure. */
export function missingPrograms(): string[] {
  if (process.env.CI === 'true') return [];
  return ['bash', 'curl', 'jq'].filter((name) => findProgram(name, process.env.PATH ?? '') === null);
}

/**
 * Runs all blocks of a guide, one after the other, in one shell that ends at the first failure; blocks marked "console" are not run.
 * @param devices imported before the first block
 * @param edit what is run instead of a block
 * @param files in the folder of the shell, by their names
 */
export async function runGuide(
  system: Pick<ApiClient, 'url' | 'token'>,
  name: string,
  devices = '',
  edit = (block: string) => [block],
  files: Record<string, string> = {},
): Promise<string> {
  const page = readFileSync(join(ROOT, 'docs', name), 'utf8');
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(0);
  await using folder = makeTestFolder();
  await mkdir(join(folder.path, '.lanreach'));
  await writeFile(join(folder.path, '.lanreach', 'api-token'), `${system.token}\n`);
  for (const [file, text] of Object.entries({ 'seed.csv': devices, ...files }))
    await writeFile(join(folder.path, file), text);
  const script = [
    'set -euo pipefail',
    'curl() { command curl --fail "$@"; }',
    `npx() { [ "$1" = lanreach ] && shift && "${process.execPath}" "${join(ROOT, 'dist', 'cli.js')}" "$@"; }`,
    // For pages whose URL is set in the text of another one.
    `URL=${system.url} AUTH="Authorization: Bearer ${system.token}"`,
    ...(devices === '' ? [] : ['npx lanreach devices import seed.csv']),
    ...blocks.flatMap(edit),
  ].join('\n');
  const { stdout } = await run('bash', ['-c', script], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path, LANREACH_URL: system.url, LANREACH_TOKEN: system.token },
    timeout: 240_000,
  });
  return stdout;
}
