/** A disposable host: this machine under an overlay in memory, in namespaces, with or without systemd. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../../../local/programs.ts';
import { PACKAGING_PROGRAMS, ROOT } from '../../support/packages.ts';
import { waitFor } from '../../support/wait-for.ts';

export type Init = 'systemd' | 'none';

export interface TestHost extends AsyncDisposable {
  /** Runs a program to its end; it is killed after four minutes. */
  run(...argv: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Starts a program that keeps running; it ends with the host. */
  start(...argv: string[]): ChildProcess;
  /** Every file that differs from this machine: `new <path>`, `changed <path>` or `gone <path>`, sorted. */
  changes(): Promise<string[]>;
}

/** The LAN of the host, and its address there. */
export const LAN = { network: '192.168.77.0/24', address: '192.168.77.2' } as const;
/** Where the host mounts the folder that it was given, and this project, read-only. */
export const FOLDER = '/media';
export const PROJECT = '/srv';

const RUN_WITHIN_MS = 240_000;
const NAMESPACES = ['--mount', '--pid', '--uts', '--ipc', '--net', '--cgroup'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const SYSTEMD = '/lib/systemd/systemd';

/** Why no such host can run here; null when it can. Under `CI=true` missing programs must fail the tests. */
export function testHostSupport(init: Init): string | null {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root';
  const others = 'unshare nsenter ip nmap traceroute arp-scan tcpdump ping'.split(' ');
  const missing = [...PACKAGING_PROGRAMS, ...others].filter((name) => findProgram(name, PATH) === null);
  if (init === 'systemd' && !existsSync(SYSTEMD)) missing.push('systemd');
  if (missing.length > 0 && process.env.CI !== 'true') return `it needs ${missing.join(', ')}`;
  if (init === 'systemd' && controlGroups() === null) return 'it needs control groups that may be written';
  const probe = 'mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir /mnt/a /mnt/b /mnt/c &&';
  const overlay = 'mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/a,workdir=/mnt/b /mnt/c';
  const { status } = spawnSync('unshare', [...NAMESPACES, '--fork', 'sh', '-c', `${probe} ${overlay}`], {
    env: { PATH },
    timeout: 60_000,
  });
  return status === 0 ? null : 'the kernel allows no such namespaces here';
}

/** Where version 2 control groups are mounted; null when there are none, or they are not writable. */
function controlGroups(): string | null {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const path = mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2')?.[1];
  if (path === undefined) return null;
  try {
    accessSync(path, constants.W_OK);
    return path;
  } catch {
    return null;
  }
}

/**
 * Creates the host. It is removed when it is disposed of, or when this process ends.
 * @param folder on this machine; mounted in the host as `FOLDER`
 */
export async function startTestHost(init: Init, folder: string): Promise<TestHost> {
  const work = join(folder, `host-${init}`);
  await mkdir(join(work, 'overlay'), { recursive: true });
  await writeFile(join(work, 'build.sh'), BUILD);
  const groups = init === 'systemd' ? controlGroups() : null;
  const group = groups === null ? '' : join(groups, `lanreach-test-${process.pid}`);
  if (group !== '') await mkdir(group);
  // Our end of the pipe is closed when this process ends in any way; then the whole host is killed.
  const owner = 'exec 3<&0; unshare "$@" & host=$!; (cat <&3; kill -KILL $host) >/dev/null 2>&1 & wait $host';
  const enterGroup = group === '' ? '' : `echo $$ > ${group}/cgroup.procs; `;
  const child = spawn(
    'sh',
    [
      '-c',
      enterGroup + owner,
      'sh',
      ...NAMESPACES,
      '--fork',
      '--kill-child',
      ...['sh', join(work, 'build.sh'), work, folder, ROOT, process.execPath, init],
    ],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH } },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));

  const first = join(work, 'pid');
  const enter = (argv: string[]) => {
    const pid = readFileSync(first, 'utf8').trim();
    const into = [`--target=${pid}`, ...NAMESPACES, '--', ...argv];
    return spawn('nsenter', into, { env: { PATH, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' } });
  };
  const host: TestHost = {
    run: (...argv) => toEnd(enter(argv)),
    start: (...argv) => enter(argv),
    changes: async () => changesIn(join('/proc', readFileSync(first, 'utf8').trim(), 'root', 'mnt')),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
      if (group !== '') await removeGroup(group);
      await rm(work, { recursive: true, force: true });
    },
  };
  try {
    await untilReady(host, init, work, child);
    return host;
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw new Error(`The test host is not ready: ${error instanceof Error ? error.message : error}\n${said}`);
  }
}

/** Becomes the first process of the host. Units of this machine are left out, and the rule that forbids services. */
const BUILD = `
set -e
work=$1 folder=$2 project=$3 node=$4 init=$5
read -r pid rest < /proc/self/stat
mount --make-rprivate /
mount -t tmpfs -o size=2g tmpfs "$work/overlay"
cd "$work/overlay"
mkdir upper work root
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/overlay/upper,workdir=$work/overlay/work" root
cd root
mkdir -p mnt media srv run tmp
mount -t tmpfs -o mode=1777 tmpfs tmp
mount --bind "$work/overlay/upper" mnt
mount --bind "$folder" media
mount --bind "$project" srv
mount -o remount,bind,ro srv
if [ ! -e ".$node" ]; then mkdir -p ".$(dirname "$node")" && mount --bind "$(dirname "$node")" ".$(dirname "$node")"; fi
mount -t proc proc proc
mount -t sysfs sysfs sys
if [ "$init" = systemd ]; then mount -t cgroup2 cgroup2 sys/fs/cgroup; fi
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 tmpfs run
rm -rf etc/systemd/system/* usr/sbin/policy-rc.d var/lib/lanreach-agent
for unit in systemd-udevd systemd-logind systemd-networkd systemd-resolved systemd-timesyncd getty@tty1 console-getty; do
  ln -s /dev/null etc/systemd/system/$unit.service
done
ln -s /lib/systemd/system/multi-user.target etc/systemd/system/default.target
ip link set lo up
ip link add lan0 type veth peer name lan1
ip link set lan1 up
ip addr add ${LAN.address}/24 dev lan0
ip link set lan0 up
mkdir .old
pivot_root . .old
umount -l /.old
rmdir /.old
echo "$pid" > /media/host-$init/pid
if [ "$init" = systemd ]; then
  exec env -i container=other PATH=${PATH} ${SYSTEMD} --system --log-target=null --show-status=0 < /dev/null
fi
sleep infinity & wait
`;

async function untilReady(host: TestHost, init: Init, work: string, child: ChildProcess): Promise<void> {
  await waitFor('its first process', async () => {
    if (child.exitCode !== null) throw new Error('it has ended');
    if (!existsSync(join(work, 'pid'))) return false;
    if (init === 'none') return true;
    // Units of the distribution that cannot work here make it "degraded"; ours are checked individually.
    const { stdout } = await host.run('systemctl', 'is-system-running');
    return /^(?:running|degraded)$/.test(stdout.trim());
  });
}

async function toEnd(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_WITHIN_MS);
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
  const [code] = await closed;
  clearTimeout(timer);
  return { code, stdout, stderr };
}

/** The overlay holds what differs; it also holds unchanged directories of changed files. */
async function changesIn(upper: string): Promise<string[]> {
  const entries = await readdir(upper, { withFileTypes: true, recursive: true });
  const changes = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return describe(path, path.slice(upper.length));
  });
  return changes.filter((change) => change !== null).sort();
}

function describe(path: string, original: string): string | null {
  const now = lstatSync(path);
  const before = lstatSync(original, { throwIfNoEntry: false });
  if (now.isCharacterDevice()) return before === undefined ? null : `gone ${original}`;
  if (before === undefined) return `new ${original}`;
  const same = now.mode === before.mode && now.uid === before.uid && now.gid === before.gid;
  if (same && now.isDirectory()) return null;
  if (same && now.isFile() && readFileSync(path).equals(readFileSync(original))) return null;
  if (same && now.isSymbolicLink() && readlinkSync(path) === readlinkSync(original)) return null;
  return `changed ${original}`;
}

/** The kernel needs a moment after the last process has ended. */
async function removeGroup(group: string): Promise<void> {
  const inner = await readdir(group, { withFileTypes: true, recursive: true });
  const groups = [group, ...inner.filter((entry) => entry.isDirectory()).map((e) => join(e.parentPath, e.name))];
  for (const path of groups.sort((a, b) => b.length - a.length)) {
    for (let left = 50; ; left--) {
      try {
        rmdirSync(path);
        break;
      } catch (error) {
        if (left === 0) throw error;
        await sleep(100);
      }
    }
  }
}
