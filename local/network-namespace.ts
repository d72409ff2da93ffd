/**
 * A network namespace for a program: what listens on its loopback interface can be reached only by the processes
 * inside, and no other user of the host can enter it.
 */
import { type Argv, runToEnd } from './child-process.ts';
import { findProgram } from './programs.ts';

export interface NetworkNamespace {
  /** Wraps `command` so that it runs in a new namespace, in the process that is started. */
  inside(command: Argv): Argv;
  /** Full path of the program that brings up the loopback interface inside. */
  ip: string;
}

const PROBE_WITHIN_MS = 5_000;

/** Root needs no user namespace, which some kernels forbid. In a user namespace the process is root. */
const AS_ROOT = ['--net'];
const AS_ANYBODY = ['--user', '--map-root-user', '--net'];

/** Tries to create one. @returns the reason, if this host does not permit it */
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
