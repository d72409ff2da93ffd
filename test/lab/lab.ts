/** A LAN to test in: network namespaces of this machine without an uplink, as root or by user namespaces. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { findProgram } from '../../local/programs.ts';
import { bundleProgram } from '../support/bundle-program.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import type { HolderEvent } from './namespaces.ts';
import { LAB_PACKAGES, LAB_PROGRAMS } from './packages.ts';
import * as plan from './plan.ts';
import type { ServiceEvent } from './services.ts';

export type MagicPacket = Omit<Extract<ServiceEvent, { event: 'magic' }>, 'event'>;

export interface Lab {
  /** What was built: hosts, addresses, ports, names. */
  truth: typeof plan;
  /** Whether the link to the internet is limited to `truth.SHAPED_MBPS`. */
  shaped: boolean;
  /** A folder that is the same inside and outside, removed at the end. */
  folder: string;
  /** Starts a process on the agent's host, or on another one. */
  run(argv: readonly string[], options?: LabRunOptions): Promise<LabProcess>;
  /** Runs a shell script on another host, switch or router; throws when one of its commands fails. */
  on(host: string, script: string): Promise<void>;
  /** A port on the outside's 127.0.0.1 that leads to an address inside, as the agent's host reaches it. */
  forward(port: number, host?: string): Promise<number>;
  /** Magic packets that the host `sleeper` has received so far. */
  magicPackets(): readonly MagicPacket[];
  /** Ends every process inside and removes all there was. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LabRunOptions {
  /** The host, if not the agent's. */
  host?: string;
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  /** As user 1000 without any capability, instead of as root. */
  unprivileged?: boolean;
}

export interface LabProcess {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Signals the process itself; children of it are its own affair. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** A second or two as a rule; the limit is that of a machine that stands still meanwhile. */
const BUILD_LIMIT_MS = 100_000;

/** What unshare needs for a namespace of each kind. A real root needs no user: then tcpdump can change to its own. */
const WAYS = [
  ...(process.getuid?.() === 0 ? [['--net', '--mount', '--pid']] : []),
  ['--user', '--map-root-user', '--net', '--mount', '--pid'],
];

/** Why no lab can be built here; null when it can, and under `CI=true`, where what is missing fails the tests. */
export function labSupport(): string | null {
  return process.env.CI === 'true' ? null : obstacle();
}

function obstacle(): string | null {
  if (process.platform !== 'linux') return 'the lab needs Linux';
  const missing = LAB_PROGRAMS.filter((program) => findProgram(program, SEARCH_PATH) === null);
  if (missing.length > 0) return `the lab needs ${missing.join(', ')}: apt install ${LAB_PACKAGES.join(' ')}`;
  if (wayIn() === null) return 'the lab needs root, or user namespaces for everybody';
  return null;
}

const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function wayIn(): string[] | null {
  const probe = 'ip link set lo up && ip link add lab0 type veth peer name lab1 && ip link add lab2 type bridge';
  const works = (way: string[]) =>
    spawnSync('unshare', [...way, '--fork', '--mount-proc', 'sh', '-c', probe], { env: { PATH: SEARCH_PATH } })
      .status === 0;
  return WAYS.find(works) ?? null;
}

/**
 * Builds the lab in about a second. Throws when the machine does not allow it.
 * @param holder the program that builds and holds another network than that of `plan.ts`
 */
export async function startLab(holderProgram = join(import.meta.dirname, 'holder.ts')): Promise<Lab> {
  const why = obstacle();
  const way = wayIn();
  if (why !== null || way === null) throw new Error(why ?? 'no namespaces');
  const { path: folder, remove } = makeTestFolder();
  // Node 20 does not run TypeScript.
  const programs = ['services', 'inside', 'discover'].map((name) => join(import.meta.dirname, `${name}.ts`));
  await Promise.all([holderProgram, ...programs].map((entry) => bundleProgram(entry, folder)));
  // The shell is process 1 in there and collects orphans; the second command keeps it from becoming the holder itself.
  const holder = spawn(
    'unshare',
    [
      ...way,
      '--fork',
      '--kill-child',
      '--mount-proc',
      'sh',
      '-c',
      '"$0" "$@"; exit',
      process.execPath,
      join(folder, 'holder.mjs'),
      folder,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: SEARCH_PATH } },
  );
  const magicPackets: MagicPacket[] = [];
  const servers: Server[] = [];
  const close = async () => {
    for (const server of servers) server.close();
    await end(holder);
    await remove();
  };
  try {
    const shaped = await untilBuilt(holder, magicPackets);
    const withUser = way.includes('--user');
    const run: Lab['run'] = async (argv, { host = 'agent', ...options } = {}) =>
      runInside(holder, withUser, [...(await wayTo(folder, host)), ...argv], options);
    return {
      truth: plan,
      shaped,
      folder,
      run,
      async on(host, script) {
        const shell = await run(['sh', '-ec', script], { host });
        const complaint = text(shell.stderr);
        const { code } = await shell.exited;
        if (code !== 0) throw new Error(`on ${host}: ${(await complaint).trim()}\n${script}`);
      },
      forward: async (port, host = '127.0.0.1') => {
        const server = await forward(join(folder, 'forward.sock'), host, port);
        servers.push(server);
        return (server.address() as AddressInfo).port;
      },
      magicPackets: () => magicPackets,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether the internet link is shaped. */
function untilBuilt(holder: ChildProcess, magicPackets: MagicPacket[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('the lab took too long to build')), BUILD_LIMIT_MS);
    holder.once('error', reject);
    holder.once('exit', (code, signal) => reject(new Error(`the lab's holder ended: ${code ?? signal}`)));
    if (holder.stdout === null) throw new Error('no standard output');
    createInterface({ input: holder.stdout }).on('line', (line) => {
      const event: HolderEvent = JSON.parse(line);
      if (event.event === 'magic') {
        const { event: _, ...packet } = event;
        magicPackets.push(packet);
      }
      if (event.event === 'failed') reject(new Error(`the lab could not be built: ${event.message}`));
      if (event.event === 'built') {
        clearTimeout(limit);
        resolve(event.shaped);
      }
    });
  });
}

async function end(holder: ChildProcess): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => holder.once('exit', () => resolve()));
  // Its end takes the shell with it, which is process 1 in there: the kernel ends all others.
  holder.stdin?.end();
  const limit = setTimeout(() => holder.kill('SIGKILL'), 2_000);
  await exited;
  clearTimeout(limit);
}

async function runInside(
  holder: ChildProcess,
  withUser: boolean,
  argv: readonly string[],
  { cwd = '/', env = {}, unprivileged = false }: LabRunOptions,
): Promise<LabProcess> {
  const enter = (command: readonly string[]) => [
    `--target=${holder.pid}`,
    ...(withUser ? ['--user', '--preserve-credentials'] : []),
    '--net',
    '--mount',
    // unshare itself has stayed outside of the process namespace that it has made for its children.
    `--pid=/proc/${holder.pid}/ns/pid_for_children`,
    `--wd=${cwd}`,
    '--',
    ...command,
  ];
  const asUser = unprivileged ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : [];
  // The process tells its id before it becomes the program: signals to nsenter would not reach it.
  const announce = ['sh', '-c', 'echo $$ >&3; exec 3>&-; exec "$@"', 'sh', ...asUser, ...argv];
  const child = spawn('nsenter', enter(announce), {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { PATH: SEARCH_PATH, ...env },
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const [stdin, stdout, stderr, pidPipe] = child.stdio;
  const pid = await firstLine(pidPipe as Readable);
  if (!/^\d+$/.test(pid)) throw new Error(`nsenter could not start ${argv[0]}`);
  stdin.on('error', () => {});
  return {
    stdin,
    stdout,
    stderr,
    exited,
    kill: async (signal = 'SIGTERM') => {
      const killer = spawn('nsenter', enter(['kill', '-s', signal.slice(3), pid]), { stdio: 'ignore' });
      await new Promise((resolve) => killer.once('close', resolve));
    },
  };
}

/** What to put in front of a command so that it runs on this host. */
async function wayTo(folder: string, host: string): Promise<string[]> {
  if (host === 'agent') return [];
  const processes: Record<string, number> = JSON.parse(await readFile(join(folder, 'namespaces.json'), 'utf8'));
  return ['nsenter', `--net=/proc/${processes[host]}/ns/net`];
}

/** Not the whole stream: nsenter keeps the other end open for as long as the process runs. */
async function firstLine(stream: Readable): Promise<string> {
  let text = '';
  for await (const piece of stream) {
    text += piece;
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}

function forward(socketPath: string, host: string, port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (outer) => {
    outer.pause();
    const inner = connect({ path: socketPath, allowHalfOpen: true });
    inner.write(`${host} ${port}\n`);
    inner.once('readable', () => {
      inner.read(3); // "ok" and the line end; nothing else comes before it.
      outer.pipe(inner);
      inner.pipe(outer);
    });
    for (const [one, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
