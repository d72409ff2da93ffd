/** Packages that only some tests need, in folders with lock files of their own, so that `npm ci` need not bring them. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from '../../local/child-process.ts';
import { findProgram } from '../../local/programs.ts';

const INSTALL_WITHIN_MS = 3 * 60_000;

export interface OwnPackages {
  /** What they are, for the screen. */
  name: string;
  /** Relative to the root of the project; has a package.json and a lock file. */
  folder: string;
  /** A file of theirs, relative to that folder. */
  probe: string;
}

export interface ProvideOptions {
  root: string;
  env: NodeJS.ProcessEnv;
  /** Whether they may be installed when they are missing. */
  install: boolean;
  /** One line for the screen. */
  say(line: string): void;
}

/** Why they cannot be used; null when they can. */
export function missingPackages(root: string, { name, folder, probe }: OwnPackages): string | null {
  if (existsSync(join(root, folder, probe))) return null;
  return `${name} not installed: npm ci --ignore-scripts --prefix ${folder}`;
}

/** Installs packages that are missing. Never throws. */
export async function providePackages(
  packages: OwnPackages,
  { root, env, install, say }: ProvideOptions,
): Promise<void> {
  const { name, folder } = packages;
  const missing = missingPackages(root, packages);
  if (missing === null) return;
  const npm = findProgram('npm', env.PATH ?? '');
  if (!install || npm === null) return say(missing);
  say(`installing ${name} into ${folder} (at most ${INSTALL_WITHIN_MS / 60_000} minutes)`);
  const { code, output, timedOut } = await runToEnd(
    [npm, 'ci', '--prefix', join(root, folder), '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'],
    { env, timeoutMs: INSTALL_WITHIN_MS },
  );
  if (code === 0) return;
  // What is there in part would count as installed.
  await rm(join(root, folder, 'node_modules'), { recursive: true, force: true });
  const why = timedOut ? 'it took too long' : (output.split('\n').findLast((line) => line !== '') ?? `code ${code}`);
  say(`${name} could not be installed: ${why}`);
}
