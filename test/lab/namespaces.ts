/** What a lab is made of: network namespaces, cables between them, and processes in them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceEvent } from './services.ts';

/** One line of JSON on the standard output of whoever holds a lab. */
export type HolderEvent = ServiceEvent | { event: 'built'; shaped: boolean } | { event: 'failed'; message: string };

export interface Namespace {
  name: string;
  pid: number;
}

/** Duplicate address detection would keep addresses back for a second; rate limits would hide hops from a trace. */
export const DEFAULTS = `
  for v in all default; do
    echo 0 > /proc/sys/net/ipv6/conf/$v/dad_transmits
    echo 0 > /proc/sys/net/ipv6/conf/$v/accept_ra
  done
  echo 0 > /proc/sys/net/ipv4/icmp_ratelimit
  echo 0 > /proc/sys/net/ipv6/icmp/ratelimit
  ip link set lo up`;

/** Without an address of its own: it is no host of the LAN. */
export const SWITCH = `ip link add br0 type bridge
  echo 1 > /proc/sys/net/ipv6/conf/br0/disable_ipv6
  ip link set br0 up`;

/** A network namespace lives as long as a process in it. */
export async function makeNamespace(name: string): Promise<Namespace> {
  const own = await readlink('/proc/self/ns/net');
  const child = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('unshare could not be started');
  while ((await readlink(`/proc/${pid}/ns/net`)) === own) await sleep(1);
  return { name, pid };
}

/** Makes all of a lab, before there are interfaces, which take their settings from them. @returns one by its name */
export async function makeNamespaces(folder: string, names: readonly string[]): Promise<(name: string) => Namespace> {
  const made = new Map(await Promise.all(names.map(async (name) => [name, await makeNamespace(name)] as const)));
  // For those who want to do something on one of the hosts.
  const processes = Object.fromEntries([...made].map(([name, { pid }]) => [name, pid]));
  await writeFile(join(folder, 'namespaces.json'), JSON.stringify(processes));
  await Promise.all([null, ...made.values()].map((namespace) => shell(namespace, DEFAULTS)));
  return (name) => {
    const namespace = made.get(name);
    if (namespace === undefined) throw new Error(`no namespace ${name}`);
    return namespace;
  };
}

/** A cable from a host to a switch. */
export async function plug(
  host: Namespace | null,
  device: string,
  mac: string,
  into: Namespace,
  port: string,
): Promise<void> {
  const at = host === null ? '' : `netns ${host.pid}`;
  await shell(null, `ip link add name ${device} address ${mac} ${at} type veth peer name ${port} netns ${into.pid}`);
  await shell(host, `ip link set ${device} up`);
  await shell(into, `ip link set ${port} master br0 up`);
}

/** A cable between two hosts. */
export async function wire(a: Namespace, deviceA: string, b: Namespace, deviceB: string): Promise<void> {
  await shell(null, `ip link add name ${deviceA} netns ${a.pid} type veth peer name ${deviceB} netns ${b.pid}`);
  await shell(a, `ip link set ${deviceA} up`);
  await shell(b, `ip link set ${deviceB} up`);
}

/** Runs a script in a namespace, or on the agent's host; throws when one of its commands fails. */
export function shell(namespace: Namespace | null, script: string): Promise<void> {
  const [program, ...args] = inside(namespace, ['sh', '-ec', script]);
  return new Promise((resolve, reject) => {
    const child = spawn(program ?? 'sh', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (text: Buffer) => {
      complaint += text.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`in ${namespace?.name ?? 'agent'}: ${complaint.trim()}\n${script}`));
    });
  });
}

export function inside(namespace: Namespace | null, argv: string[]): string[] {
  return namespace === null ? argv : ['nsenter', `--net=/proc/${namespace.pid}/ns/net`, ...argv];
}

export function start(
  host: Namespace,
  argv: string[],
  stdio: ('ignore' | 'pipe' | 'inherit')[],
  failed: (error: Error) => void,
): ChildProcess {
  const [program = 'sh', ...args] = inside(host, argv);
  const child = spawn(program, args, { stdio });
  child.once('error', failed);
  child.once('exit', (code) => failed(new Error(`${argv[0]} on ${host.name} ended with ${code}`)));
  return child;
}

/** Lets the outside connect to ports in here: a socket in the file system crosses network namespaces. */
export function forwardConnections(path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (outer) => {
    outer.on('error', () => outer.destroy());
    // The first line says where to; the caller sends nothing behind it before it has been answered.
    outer.once('data', (line) => {
      const [host = '', port] = line.toString().trim().split(' ');
      const inner = connect({ host, port: Number(port), allowHalfOpen: true });
      inner.once('connect', () => {
        outer.write('ok\n');
        outer.pipe(inner);
        inner.pipe(outer);
      });
      inner.on('error', () => outer.destroy());
      inner.on('close', () => outer.destroy());
      outer.on('close', () => inner.destroy());
    });
    outer.resume();
  });
  return new Promise((resolve) => server.listen(path, resolve));
}

/** One line of JSON on standard output. */
export const tell = (event: HolderEvent) => console.log(JSON.stringify(event));

/** Builds, says so, and ends this process and with it everything when its standard input ends. */
export function hold(folder: string, build: () => Promise<{ shaped: boolean }>): void {
  process.stdin.resume();
  process.stdin.once('end', () => {
    // Whoever was to remove it may have been killed.
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
  process.stdout.on('error', () => process.exit(0));
  build().then(
    ({ shaped }) => tell({ event: 'built', shaped }),
    (error: unknown) => tell({ event: 'failed', message: error instanceof Error ? error.message : String(error) }),
  );
}
