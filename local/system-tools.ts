/** Finds and installs missing programs that LanReach needs. */

import { MINUTE_MS } from '../shared/time.ts';
import { ALL_PROGRAMS, packageOf } from '../shared/tools/list.ts';
import { runToEnd } from './child-process.ts';
import { findProgram } from './programs.ts';

export interface Tools {
  programs: readonly string[];
  /** The Debian packages that contain these missing programs. */
  packagesFor(missing: readonly string[]): readonly string[];
}

export const SYSTEM_TOOLS: Tools = { programs: ALL_PROGRAMS, packagesFor: (missing) => missing.map(packageOf) };

const INSTALL_WITHIN_MS = 5 * MINUTE_MS;

interface ToolsOptions {
  tools?: Tools;
  env: NodeJS.ProcessEnv;
  /** Whether it may install missing programs. */
  install: boolean;
  /** Prints a line on the screen. */
  say(line: string): void;
  signal?: AbortSignal;
}

export function missingTools({ programs }: Tools, env: NodeJS.ProcessEnv): string[] {
  return programs.filter((name) => findProgram(name, env.PATH ?? '') === null);
}

/**
 * Installs missing programs if that needs no input: on Debian and its derivatives, as root or with passwordless sudo.
 * Reports its steps and the remaining manual ones. Never throws.
 * @returns the programs that are still missing
 */
export async function provideTools({ tools = SYSTEM_TOOLS, env, install, say, signal }: ToolsOptions) {
  const missing = missingTools(tools, env);
  if (missing.length === 0) return [];
  const packages = tools.packagesFor(missing);
  const prefix = install ? await waysToInstall(env) : null;
  if (prefix !== null) {
    say(`installing ${packages.join(', ')} (at most ${INSTALL_WITHIN_MS / MINUTE_MS} minutes)`);
    const failure = await aptInstall(prefix, packages, env, say, signal);
    if (failure !== null) say(`the installation failed: ${failure}`);
  }
  const left = missingTools(tools, env);
  if (left.length > 0) say(adviceFor(left, tools));
  return left;
}

/** A command for the user to copy into a terminal. */
function adviceFor(missing: readonly string[], { packagesFor }: Tools): string {
  return `missing: ${missing.join(', ')}. On Debian or Ubuntu: sudo apt-get install ${packagesFor(missing).join(' ')}`;
}

/** The prefix with which apt-get runs as root; null if impossible. */
async function waysToInstall(env: NodeJS.ProcessEnv): Promise<string[] | null> {
  if (findProgram('apt-get', env.PATH ?? '') === null) return null;
  if (process.getuid?.() === 0) return [];
  const sudo = findProgram('sudo', env.PATH ?? '');
  if (sudo === null) return null;
  const { code } = await runToEnd([sudo, '--non-interactive', 'true'], { env, timeoutMs: 5_000 });
  return code === 0 ? [sudo, '--non-interactive'] : null;
}

/** @returns why it failed, or null */
async function aptInstall(
  prefix: readonly string[],
  packages: readonly string[],
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const deadline = Date.now() + INSTALL_WITHIN_MS;
  const apt = (...args: string[]) => {
    const [program = '', ...rest] = [
      ...prefix,
      'env', // sudo removes the environment.
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      '-o',
      'DPkg::Lock::Timeout=120', // Unattended upgrades hold the lock for minutes after a boot.
      ...args,
    ];
    return runToEnd([program, ...rest], {
      env,
      timeoutMs: Math.max(1, deadline - Date.now()),
      onLine: (line) => {
        if (PROGRESS.test(line)) say(line.trim());
      },
      ...(signal === undefined ? {} : { signal }),
    });
  };
  const installation = () => apt('install', '--yes', '--no-install-recommends', '--no-upgrade', ...packages);

  // Downloads package lists only if those of the host do not suffice.
  const first = await installation();
  if (first.code === 0) return null;
  if (signal?.aborted || first.timedOut) return first.timedOut ? 'it took too long' : 'it was stopped';
  const update = await apt('update');
  const second = update.code === 0 ? await installation() : update;
  if (second.code === 0) return null;
  return second.timedOut
    ? 'it took too long'
    : (second.output.split('\n').findLast((line) => line !== '') ?? 'no output');
}

/** Lines of apt that show progress. */
const PROGRESS = /^(?:Get:|Unpacking |Setting up |E: )/;
