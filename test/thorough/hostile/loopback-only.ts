/** A network namespace that has a loopback interface and nothing else, for a process and all that it starts. */
import { spawnSync } from 'node:child_process';

/** A user namespace lets everybody do it where the kernel allows that; root may go without. */
const WAYS = [
  ['--user', '--map-root-user', '--net', '--mount', '--pid'],
  ['--net', '--mount', '--pid'],
];
/** For everything that is started in there. */
export const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The shell is process 1 in there and collects orphans. When it ends, the kernel ends all others. */
const PREPARE = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf || exit 1; "$@"; exit $?';

type Argv = [program: string, ...args: string[]];

/**
 * @returns how to start a command in there, with this file in the place of /etc/resolv.conf, so that names are asked for
 *   on loopback too; or why that cannot be done on this machine
 */
export function loopbackOnly(): ((resolvConf: string, command: readonly string[]) => Argv) | string {
  if (process.platform !== 'linux') return 'only Linux has network namespaces';
  let reason = '';
  for (const way of WAYS) {
    const inside = (resolvConf: string, command: readonly string[]): Argv => [
      'unshare',
      ...way,
      '--fork',
      '--kill-child',
      '--mount-proc',
      'sh',
      '-c',
      PREPARE,
      resolvConf,
      ...command,
    ];
    const [program, ...args] = inside('/dev/null', ['true']);
    const { status, stderr, error } = spawnSync(program, args, { env: { PATH: SEARCH_PATH }, encoding: 'utf8' });
    if (status === 0) return inside;
    reason = error?.message ?? stderr.trim();
  }
  return `this machine allows no network namespace (${reason})`;
}
