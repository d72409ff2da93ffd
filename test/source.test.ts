/** What a reviewer would ask for by hand: strict types, lint and format. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** All of the sources, on a machine that does much else. */
const LONG = { timeout: 600_000 };

/** Fails with what the program printed. */
async function passes(program: string, ...args: string[]): Promise<void> {
  const file = join(root, 'node_modules', '.bin', program);
  await run(file, args, { cwd: root, timeout: 580_000, maxBuffer: 10_000_000 }).catch((error) => {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`);
  });
}

test('the types hold', LONG, () => passes('tsc'));

test('the types of the console hold', LONG, () => passes('tsc', '--project', 'console'));

test('lint and format find nothing', LONG, () => passes('biome', 'check', '--error-on-warnings', '.'));

test('the lock file names every platform, or a clean install refuses it', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  // A registry that lacks a platform's package makes npm leave it out of the lock without a word.
  const locked = Object.keys(packages);
  const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => !locked.some((path) => path.endsWith(`node_modules/${name}`))),
  );
  expect(missing).toEqual([]);
});
