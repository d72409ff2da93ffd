/** The programs of the host that LanReach needs: which are missing, and how they come here. */
import { ALL_PROGRAMS, packageOf } from '../shared/tools/list.ts';
import { runToEnd } from './child-process.ts';
import { findProgram } from './programs.ts';

/** Programs, and the Debian packages that bring them. */
export interface Tools {
  programs: readonly string[];
  /** The packages to install when these of the programs are missing. */
  packagesFor(missing: readonly string[]): readonly string[];
}

/** What LanReach itself runs. */
export const SYSTEM_TOOLS: Tools = {
  programs: ALL_PROGRAMS,
  packagesFor: (missing) => missing.map(packageOf),
};

const INSTALL_WITHIN_MS = 5 * 60_000;
const SUDO_WITHIN_MS = 5_000;

export interface ToolsOptions {
  tools?: Tools;
  env: NodeJS.ProcessEnv;
  /** Whether missing ones may be installed. */
  install: boolean;
  /** One line for the screen. */
  say(line: string): void;
  signal?: AbortSignal;
}

/** The programs, of those given, that are not on this host. */
export function missingTools({ programs }: Tools, env: NodeJS.ProcessEnv): string[] {
  return programs.filter((name) => findProgram(name, env.PATH ?? '') === null);
}

/**
 * Installs what is missing where that can be done without a question: on Debian and its like, as root or by a sudo that
 * asks for no password. Says what it does and what is left to do by hand. Never throws.
 * @returns the programs that are still missing
 */
export async function provideTools({
  tools = SYSTEM_TOOLS,
  env,
  install,
  say,
  signal,
}: ToolsOptions): Promise<string[]> {
  const missing = missingTools(tools, env);
  if (missing.length === 0) return [];
  const packages = tools.packagesFor(missing);
  const prefix = install ? await waysToInstall(env) : null;
  if (prefix !== null) {
    say(`installing ${packages.join(', ')} (at most ${INSTALL_WITHIN_MS / 60_000} minutes)`);
    const failure = await aptInstall(prefix, packages, env, say, signal);
    if (failure !== null) say(`the installation failed: ${failure}`);
  }
  const left = missingTools(tools, env);
  if (left.length > 0) say(adviceFor(left, tools));
  return left;
}

/** The one line that says what to do, to be copied into a terminal. */
function adviceFor(missing: readonly string[], { packagesFor }: Tools): string {
  return `missing: ${missing.join(', ')}. On Debian or Ubuntu: sudo apt-get install ${packagesFor(missing).join(' ')}`;
}

/** What stands before apt-get for it to run as root; null when it cannot. */
async function waysToInstall(env: NodeJS.ProcessEnv): Promise<string[] | null> {
  if (findProgram('apt-get', env.PATH ?? '') === null) return null;
  if (process.getuid?.() === 0) return [];
  const sudo = findProgram('sudo', env.PATH ?? '');
  if (sudo === null) return null;
  const { code } = await runToEnd([sudo, '--non-interactive', 'true'], { env, timeoutMs: SUDO_WITHIN_MS });
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
      'env', // sudo passes no environment on.
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

  // A host whose package lists are fresh is spared the download of new ones.
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

/** The lines of apt that show that something happens. */
const PROGRESS = /^(?:Get:|Unpacking |Setting up |E: )/;
