/**
 * A network namespace of its own for a program: what listens on its loopback interface can be reached by the processes
 * in there only, and no other user of the host can get in.
 */
import { type Argv, runToEnd } from './child-process.ts';
import { findProgram } from './programs.ts';

export interface NetworkNamespace {
  /** The command that runs `command` in a new namespace, as the process that it has started itself. */
  inside(command: Argv): Argv;
  /** Full path of the program that brings up the loopback interface in there. */
  ip: string;
}

const PROBE_WITHIN_MS = 5_000;

/** Root needs no user namespace, which some kernels keep from everybody. In one, everybody is root. */
const AS_ROOT = ['--net'];
const AS_ANYBODY = ['--user', '--map-root-user', '--net'];

/** Tries it out. @returns why there can be none, where this host does not allow it */
export async function findNetworkNamespace(
  env: NodeJS.ProcessEnv,
  isRoot = process.getuid?.() === 0,
): Promise<NetworkNamespace | { obstacle: string }> {
  if (process.platform !== 'linux') return { obstacle: 'only Linux has network namespaces' };
  const [unshare, ip] = [findProgram('unshare', env.PATH ?? ''), findProgram('ip', env.PATH ?? '')];
  if (unshare === null) return { obstacle: 'the program unshare is missing (package util-linux)' };
  if (ip === null) return { obstacle: 'the program ip is missing (package iproute2)' };
  let reason = '';
  for (const way of isRoot ? [AS_ROOT, AS_ANYBODY] : [AS_ANYBODY]) {
    const inside = (command: Argv): Argv => [unshare, ...way, '--', ...command];
    const { code, output } = await runToEnd(inside([ip, 'link', 'set', 'lo', 'up']), {
      env,
      timeoutMs: PROBE_WITHIN_MS,
    });
    if (code === 0) return { inside, ip };
    reason = output.split('\n').at(-1) || reason;
  }
  return { obstacle: `this system allows no network namespace${reason === '' ? '' : ` (${reason})`}` };
}
