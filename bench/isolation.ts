/**
 * A network namespace with only a loopback interface, so that no packet leaves this host, and a local name server can
 * replace the one of the host.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Argv, runToEnd } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';

const PROBE_WITHIN_MS = 10_000;
const RUN_WITHIN_MS = 30 * 60_000;

/** Any user can create one in a user namespace, if the kernel permits that; root can without. */
const WAYS = [
  ['--user', '--map-root-user', '--net', '--mount'],
  ['--net', '--mount'],
];
const PREPARE = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf || exit 1; exec "$@"';

/** Wraps a command so that it runs inside; null when this host does not permit it. */
export async function findIsolation(folder: string): Promise<((command: Argv) => Argv) | null> {
  const env = childEnvironment();
  const unshare = findProgram('unshare', env.PATH ?? '');
  if (unshare === null) return null;
  const resolvConf = join(folder, 'resolv.conf');
  writeFileSync(resolvConf, 'nameserver 127.0.0.1\n');
  for (const way of WAYS) {
    const inside = (command: Argv): Argv => [unshare, ...way, '--', 'sh', '-c', PREPARE, resolvConf, ...command];
    const { code } = await runToEnd(inside(['true']), { env, timeoutMs: PROBE_WITHIN_MS });
    if (code === 0) return inside;
  }
  return null;
}

/** Runs a command to its end and forwards its output. @returns its exit code */
export async function relay(command: Argv, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const { code } = await runToEnd(command, {
    env,
    timeoutMs: RUN_WITHIN_MS,
    onLine: print,
    signal: interrupted.signal,
  });
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  return code ?? 1;
}
