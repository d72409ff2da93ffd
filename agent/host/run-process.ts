/**
 * The only file of the agent that starts processes. A command ends when its whole process group is gone, even if a
 * process in it belongs to another user, and the kernel kills the programs of a dying agent: libraries such as execa do
 * neither.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { access, constants, readdir, readFile, stat } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { GONE_WITHIN_MS, KILL_AFTER_MS } from '../../shared/agent/timing.ts';
import { deadline } from '../../shared/async.ts';
import { codeOf } from '../../shared/errno.ts';
import { PLATFORM, type Platform } from './platform.ts';
import { statFields } from './process-identity.ts';
import { forbidden, isForbidden, missing, ToolFailure } from './tool-failure.ts';

export interface RunOptions {
  /** After it the process group gets SIGTERM, and SIGKILL two seconds later. Null: runs until `signal` is aborted. */
  timeoutMs: number | null;
  /** Bytes of standard output, and of standard error, that are kept; the rest is discarded. */
  maxBytes: number;
  /** Ends the process group in the same way. */
  signal?: AbortSignal;
  /** Called with each complete line of standard output, without its line end, up to `maxBytes`. */
  onLine?(line: string): void;
  /** Called with all of standard output, which is not kept then. Back-pressure: reading pauses until the promise resolves. */
  onData?(chunk: Buffer): Promise<void> | undefined;
  /** Whether the program ends within moments anyway, and needs no lifeline, which takes a third of the time of a short one. */
  endsByItself?: boolean;
  env?: Readonly<Record<string, string>>;
}

export interface Finished {
  stdout: string;
  stderr: string;
  /** Exit code; null when a signal ended the process. */
  code: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  /** Whether output was discarded. */
  truncated: boolean;
}

/**
 * Runs a program and resolves, however it ended, when the whole process group is gone.
 * @throws {ToolFailure} `tool_missing` when the program is not installed; `tool_failed` when the agent may not start it, or
 *   the system has no room for another process
 */
export type RunProcess = (program: string, args: readonly string[], options: RunOptions) => Promise<Finished>;

interface RunProcessOptions {
  /** Called with the id of each process, which is also that of its group. */
  onStart?(pid: number): void;
  /** The PATH to search for programs. */
  path?: string;
  platform?: Platform;
}

const MAX_LINE = 64 * 1024;

/** Where Linux distributions and Homebrew install programs. traceroute and ip are often in /usr/sbin. */
const PROGRAM_DIRECTORIES =
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/sbin:/opt/homebrew/bin';

/** The environment of programs has fixed values of PATH, LC_ALL and HOME, and what `env` adds. */
export function createRunProcess({
  onStart,
  platform = PLATFORM,
  path = PROGRAM_DIRECTORIES,
}: RunProcessOptions = {}): RunProcess {
  const programs = programsIn(path, platform);

  return async function run(program, args, options) {
    if (options.signal?.aborted) return { ...NOTHING_PRINTED, timedOut: false, aborted: true };
    const file = await programs.find(program);
    const prefix = options.endsByItself === true ? [] : await programs.lifeline();
    const [command = file, ...commandArgs] = [...prefix, file, ...args];
    const child = spawn(command, commandArgs, {
      cwd: '/', // Some tools read data files from the working directory.
      env: { PATH: path, LC_ALL: 'C', HOME: '/nonexistent', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // A group of its own, so that descendants can be stopped with it.
    });
    const pid = child.pid;
    if (pid === undefined) {
      const failure = await startFailure(child, program, platform);
      if (failure.reason === 'tool_missing') programs.forget(program);
      throw failure;
    }
    lowerPriority(pid);
    onStart?.(pid);
    const finished = await watch(child, pid, options);
    // setpriv, which runs the program, could not execute it.
    if (prefix.length > 0 && finished.stderr.startsWith('setpriv: failed to execute')) {
      programs.forget(program);
      throw isForbidden(finished.stderr) ? forbidden(program) : missing(program, platform);
    }
    return finished;
  };
}

/** A cache of the programs in the directories of a PATH. */
interface Programs {
  /** The absolute path. spawn() cannot search, because it would find setpriv instead. @throws {ToolFailure} `tool_missing` */
  find(program: string): Promise<string>;
  /** A prefix command that makes the kernel kill the program when the agent dies in whatever way; empty without one. */
  lifeline(): Promise<readonly string[]>;
  /** To be called when a program could not be started: it may have been removed, or installed elsewhere. */
  forget(program: string): void;
}

/** Global, because every command of the agent has a {@link RunProcess} of its own. */
const known = new Map<string, Programs>();

function programsIn(path: string, platform: Platform): Programs {
  const found = new Map<string, string>();
  let lifeline: Promise<readonly string[]> | null = null;
  const programs = known.get(`${platform} ${path}`) ?? {
    async find(program) {
      const file = found.get(program) ?? (await findProgram(program, path, platform));
      found.set(program, file);
      return file;
    },
    lifeline: () => (lifeline ??= findLifeline(path, platform)),
    forget(program) {
      found.delete(program);
      lifeline = null; // setpriv itself may be the program that was removed.
    },
  };
  known.set(`${platform} ${path}`, programs);
  return programs;
}

/**
 * Added to the agent's own nice value: leaves programs a third of its share of a processor. With much less they would time
 * out on a busy host, and traceroute would measure its own waiting.
 */
const NICE_INCREMENT = 5;
const MAX_NICE = 19;

/**
 * Gives a program and its descendants a lower priority than the agent, which must acknowledge commands while a scan uses
 * every processor. Ignores failure, because the program may have ended or changed its user.
 */
function lowerPriority(pid: number): void {
  const nice = Math.min(MAX_NICE, getPriority() + NICE_INCREMENT);
  try {
    setPriority(pid, nice);
    // Linux schedules by session first, and the program leads its own: the nice value alone would change nothing between
    // it and the agent. See "The autogroup feature" in sched(7).
    if (PLATFORM === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {}
}

const NOTHING_PRINTED = { stdout: '', stderr: '', code: null, signal: null, truncated: false };

/** Collects the output of a process and ends its group. */
async function watch(child: ChildProcess, pid: number, options: RunOptions): Promise<Finished> {
  const stdout = collect(child.stdout, options.maxBytes, options);
  const stderr = collect(child.stderr, options.maxBytes);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));

  let stoppedBy: 'limit' | 'caller' | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (by: 'limit' | 'caller') => {
    if (stoppedBy !== null) return;
    stoppedBy = by;
    signalGroup(pid, 'SIGTERM');
    killTimer = setTimeout(() => signalGroup(pid, 'SIGKILL'), KILL_AFTER_MS);
  };
  const stopForCaller = () => stop('caller');
  const limitTimer = options.timeoutMs === null ? undefined : setTimeout(() => stop('limit'), options.timeoutMs);
  options.signal?.addEventListener('abort', stopForCaller, { once: true });
  // No event follows if the signal was aborted during the search for the program.
  if (options.signal?.aborted) stopForCaller();

  const { code, signal } = await exited;
  clearTimeout(limitTimer);
  clearTimeout(killTimer);
  options.signal?.removeEventListener('abort', stopForCaller);
  await endGroup(pid);
  await deadline(closed, 500, () => {}); // A process that left the group may hold the pipes for ever.
  child.stdout?.destroy();
  child.stderr?.destroy();
  return {
    stdout: stdout.end(),
    stderr: stderr.end(),
    code,
    signal,
    timedOut: stoppedBy === 'limit',
    aborted: stoppedBy === 'caller',
    truncated: stdout.truncated() || stderr.truncated(),
  };
}

/** Kills the remaining processes of a group, and waits until none is left. */
async function endGroup(pid: number): Promise<void> {
  const giveUpAt = performance.now() + GONE_WITHIN_MS;
  while (signalGroup(pid, 'SIGKILL') && performance.now() < giveUpAt) {
    await sleep(5);
    if (await onlyZombies(pid)) return;
  }
}

/** Whether only zombies are left of a group. In many containers process 1 takes seconds to reap them. */
async function onlyZombies(group: number): Promise<boolean> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const states = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [state, , processGroup] = statFields(text);
      return Number(processGroup) === group ? state : undefined;
    }),
  );
  return pids.length > 0 && states.every((state) => state === undefined || state === 'Z' || state === 'X');
}

/** Returns whether there was a process to signal. */
function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: the group belongs to another user, for instance because of a set-user-ID bit.
    return codeOf(error) === 'EPERM';
  }
}

/** Keeps the first bytes of a stream and discards the rest, so that the process never blocks on a full pipe. */
function collect(
  stream: Readable | null,
  maxBytes: number,
  { onLine, onData }: Pick<RunOptions, 'onLine' | 'onData'> = {},
) {
  const kept: Buffer[] = [];
  let bytes = 0;
  let truncated = false;
  const decoder = new StringDecoder('utf8');
  let line = '';
  const passLines = (text: string) => {
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const complete of lines) onLine?.(complete);
    while (line.length > MAX_LINE) {
      onLine?.(line.slice(0, MAX_LINE));
      line = line.slice(MAX_LINE);
    }
  };
  stream?.on('data', (chunk: Buffer) => {
    if (onData !== undefined) {
      const taken = onData(chunk);
      if (taken === undefined) return;
      stream.pause();
      void taken.finally(() => stream.resume());
      return;
    }
    const piece = chunk.subarray(0, Math.max(0, maxBytes - bytes));
    if (piece.length < chunk.length) truncated = true;
    if (piece.length === 0) return;
    kept.push(piece);
    bytes += piece.length;
    if (onLine !== undefined) passLines(decoder.write(piece));
  });
  stream?.on('error', () => {}); // A broken pipe only ends the output; the exit status gives the reason.
  return {
    truncated: () => truncated,
    /** The kept text, without a character that the limit has cut in two. */
    end: (): string => {
      if (line !== '') onLine?.(line);
      line = '';
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(kept), { stream: truncated });
    },
  };
}

async function findProgram(program: string, path: string, platform: Platform): Promise<string> {
  const candidates = program.includes('/') ? [program] : path.split(':').map((folder) => join(folder, program));
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw missing(program, platform);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Tests setpriv, because the one of BusyBox lacks the option. */
async function findLifeline(path: string, platform: Platform): Promise<readonly string[]> {
  if (platform !== 'linux') return [];
  try {
    const setpriv = await findProgram('setpriv', path, platform);
    const lifeline = [setpriv, '--pdeathsig', 'KILL', '--'];
    const args = [...lifeline.slice(1), await findProgram('true', path, platform)];
    const probe = spawn(setpriv, args, { stdio: 'ignore' });
    const works = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.once('exit', (code) => resolve(code === 0));
    });
    return works ? lifeline : [];
  } catch {
    return [];
  }
}

async function startFailure(child: ChildProcess, program: string, platform: Platform): Promise<ToolFailure> {
  const error = await new Promise<Error>((resolve) => child.once('error', resolve));
  const code = codeOf(error);
  if (code === 'ENOENT') return missing(program, platform);
  if (code === 'EACCES' || code === 'EPERM') return forbidden(program);
  return new ToolFailure('tool_failed', `${program} could not be started: ${error.message}`, { cause: error });
}
