/**
 * The only file of this side that starts processes: those that must go on running (the database, the agent) and those
 * that do one thing and end (a package installation, an enrolment).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backOffMs } from '../shared/async.ts';

/** Kept of what a process printed, to be shown when it fails. */
const TAIL_LINES = 20;
const LINE_LIMIT = 4_096;

const BACK_OFF = { firstMs: 100, longestMs: 5_000, least: 0.5 } as const;
/** A process that has been ready for this long has recovered: its next failure is a first one again. */
const STABLE_AFTER_MS = 10_000;
const STOP_WITHIN_MS = 5_000;

export type Argv = readonly [program: string, ...args: string[]];

export interface ChildOptions {
  /** Names the process in messages. */
  name: string;
  /** Never with a secret in it: every user of the host can read it. */
  argv: Argv;
  /** The whole environment of the process. */
  env: NodeJS.ProcessEnv;
  /** How it shows that it is ready: by a line that it prints, or by a probe that settles when something else has seen it. */
  ready: { line(text: string): boolean } | { probe(signal: AbortSignal): Promise<unknown> };
  readyWithinMs: number;
  /** Whether a first start that fails is tried again like any other, instead of being an error. */
  keepTrying?: boolean;
  /** Given a standard input that stays open for as long as this process lives; by its end a child can notice ours. */
  holdStdin?: boolean;
  /** For a child in Node.js: a channel for messages, and for sockets with them. */
  channel?: {
    onMessage(message: unknown, handle: unknown): void;
    /** The process has ended; the next one has a channel of its own. */
    onEnd(): void;
  };
  /** Full path of setpriv, by which the kernel ends the child when this process is killed; null where there is none. */
  setpriv: string | null;
  /** Complete lines of standard output and error. */
  onLine?(line: string): void;
  log: Logger;
}

/** A process that is started again whenever it ends, until it is stopped. */
export interface SupervisedChild {
  /** Of the process that runs now; null while there is none. */
  readonly pid: number | null;
  readonly isReady: boolean;
  /** How often it was started again. */
  readonly restarts: number;
  /** The last lines that it printed, in this life or in the one that has just ended. */
  outputTail(): string;
  /** Sends a message over its channel. @returns false when there is no process that is ready */
  send(message: object): boolean;
  /** End of input and TERM, and KILL after five seconds. Returns when the process is gone; it is not started again. */
  stop(): Promise<void>;
}

/**
 * Starts a process and returns when it is ready. Should it end later, it is started again, within a tenth of a second at
 * first and after five seconds at the most.
 * @throws {Error} when it ends, or is not ready in time, at this first start; the message repeats what it printed
 *   last. With `keepTrying` it returns instead, and the process is started again.
 */
export async function superviseChild(options: ChildOptions): Promise<SupervisedChild> {
  const supervisor = new Supervisor(options);
  await supervisor.start();
  return supervisor;
}

class Supervisor implements SupervisedChild {
  readonly #options: ChildOptions;
  readonly #stopping = new AbortController();
  #child: ChildProcess | null = null;
  /** Of the last life. */
  #tail = new Tail();
  #loop: Promise<void> = Promise.resolve();
  isReady = false;
  restarts = 0;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  outputTail(): string {
    return this.#tail.text();
  }

  send(message: object): boolean {
    const child = this.#child;
    if (child === null || !this.isReady || !child.connected) return false;
    if (child.exitCode !== null || child.signalCode !== null) return false; // Its channel may outlast it for a moment.
    child.send(message, () => {}); // Where it fails the process has ended, which is noticed by itself.
    return true;
  }

  async start(): Promise<void> {
    const readyAt = this.#options.keepTrying ? await this.#tryRun() : await this.#run();
    this.#loop = this.#keepRunning(readyAt);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#child?.stdin?.end();
    if (this.#child !== null) await end(this.#child, STOP_WITHIN_MS);
    await this.#loop;
  }

  async #keepRunning(firstReadyAt: number | null): Promise<void> {
    const { log, name } = this.#options;
    const stopping = this.#stopping.signal;
    let readyAt: number | null = firstReadyAt;
    let failures = 0;
    while (!stopping.aborted) {
      if (this.#child !== null) await exited(this.#child);
      this.#child = null;
      this.isReady = false;
      if (stopping.aborted) return;
      if (readyAt !== null)
        log.warn({ child: name, output: this.#tail.text() }, `${name} has ended and is started again`);
      failures = readyAt !== null && Date.now() - readyAt >= STABLE_AFTER_MS ? 0 : failures;
      const waitMs = backOffMs(failures++, BACK_OFF);
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      this.restarts++;
      readyAt = await this.#tryRun();
    }
  }

  /** When the process was ready, or null when it did not get there. */
  async #tryRun(): Promise<number | null> {
    try {
      return await this.#run();
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#options.log.error({ child: this.#options.name }, (error as Error).message);
      return null;
    }
  }

  /** One life up to the point where the process is ready. When it does not get there, it is gone on return. */
  async #run(): Promise<number> {
    const { argv, channel, env, holdStdin, name, ready, readyWithinMs, setpriv } = this.#options;
    const child = spawn(...withDeathSignal(argv, setpriv), {
      env,
      stdio: [holdStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(channel === undefined ? [] : ['ipc' as const])],
      // A group of its own: Ctrl-C in a terminal reaches every process of our group, and would end the database
      // before the functions that still write to it.
      detached: true,
    });
    this.#child = child;
    this.#tail = new Tail();
    killWithUs(child);
    child.stdin?.on('error', () => {}); // A child that closes its input is no news; its exit is.
    if (channel !== undefined) child.on('message', channel.onMessage).once('exit', channel.onEnd);
    const settled = new AbortController();
    const isReady = new Promise<void>((resolve, reject) => {
      const onLine = (line: string) => {
        this.#tail.add(line);
        this.#options.onLine?.(line);
        if ('line' in ready && ready.line(line)) resolve();
      };
      forEachLine(child.stdout, onLine);
      forEachLine(child.stderr, onLine);
      if ('probe' in ready) ready.probe(settled.signal).then(() => resolve(), reject);
      child.once('error', reject); // It could not be started at all.
      if (child.pid !== undefined) exited(child).then((how) => reject(new Error(`it ended with ${how}`)));
      sleep(readyWithinMs, undefined, { signal: settled.signal }).then(
        () => reject(new Error(`it was not ready within ${readyWithinMs} ms`)),
        () => {},
      );
    });
    try {
      await isReady;
      if (this.#stopping.signal.aborted) throw new Error('it was stopped');
    } catch (error) {
      await end(child, STOP_WITHIN_MS);
      const printed = this.#tail.text();
      throw new Error(
        `Cannot start ${name}: ${(error as Error).message}${printed === '' ? '' : `. It printed:\n${printed}`}`,
        { cause: error },
      );
    } finally {
      settled.abort();
    }
    this.isReady = true;
    return Date.now();
  }
}

const alive = new Set<ChildProcess>();

/** Where there is no setpriv, a child still ends with us when we end by ourselves. */
function killWithUs(child: ChildProcess): void {
  if (alive.size === 0) process.on('exit', killAll);
  alive.add(child);
  child.once('exit', () => {
    alive.delete(child);
    if (alive.size === 0) process.off('exit', killAll);
  });
}

function killAll(): void {
  for (const child of alive) child.kill('SIGKILL');
}

function withDeathSignal([program, ...args]: Argv, setpriv: string | null): [string, string[]] {
  return setpriv === null ? [program, args] : [setpriv, ['--pdeathsig', 'TERM', '--', program, ...args]];
}

/** A program that runs for as long as this process does. */
export interface Companion {
  /** Settles when it has ended, with words for how. */
  ended: Promise<string>;
  /** TERM, and KILL after five seconds. */
  stop(): Promise<void>;
}

/** Starts a program with our environment, that prints where we print, and that the kernel kills when we end. */
export function startCompanion(argv: Argv, setpriv: string): Companion {
  const child = spawn(setpriv, ['--pdeathsig', 'KILL', '--', ...argv], { stdio: ['ignore', 'inherit', 'inherit'] });
  const failed = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)));
  return {
    ended: child.pid === undefined ? failed : exited(child),
    stop: () => end(child, STOP_WITHIN_MS),
  };
}

export interface RunOptions {
  /** Its whole environment; ours where this is left out. */
  env?: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** Written to its standard input, which is then closed. Secrets go here. */
  input?: string;
  /** Complete lines of standard output and error. */
  onLine?(line: string): void;
  signal?: AbortSignal;
}

export interface Ended {
  /** Exit code; null when it could not be started or a signal ended it. */
  code: number | null;
  /** The last lines that it printed, or why it could not be started. */
  output: string;
  timedOut: boolean;
}

/** Runs a program to its end, and never throws for how it ended. At the time limit it gets TERM, and KILL five seconds later. */
export async function runToEnd([program, ...args]: Argv, options: RunOptions): Promise<Ended> {
  const child = spawn(program, args, {
    ...(options.env === undefined ? {} : { env: options.env }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const tail = new Tail();
  const onLine = (line: string) => {
    tail.add(line);
    options.onLine?.(line);
  };
  forEachLine(child.stdout, onLine);
  forEachLine(child.stderr, onLine);
  const failed = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      tail.add(error.message);
      resolve();
    });
  });
  child.stdin.on('error', () => {}); // It may end without reading its input; the exit code says what that means.
  child.stdin.end(options.input ?? '');

  let timedOut = false;
  const giveUp = () => void end(child, STOP_WITHIN_MS);
  const timer = setTimeout(() => {
    timedOut = true;
    giveUp();
  }, options.timeoutMs);
  options.signal?.addEventListener('abort', giveUp, { once: true });
  if (options.signal?.aborted) giveUp();
  await (child.pid === undefined ? failed : exited(child));
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', giveUp);
  return { code: child.pid === undefined ? null : child.exitCode, output: tail.text(), timedOut };
}

/** Settles when the process is gone and everything that it printed has been read, with words for how it went. */
async function exited(child: ChildProcess): Promise<string> {
  if (child.pid === undefined) return 'no process'; // It could not be started, and says so by `error`.
  if (child.exitCode === null && child.signalCode === null) await new Promise((gone) => child.once('exit', gone));
  // A grandchild may hold the pipes open: what it would print after its parent's end is not waited for long.
  const closed = [child.stdout, child.stderr].map((stream) =>
    stream === null || stream.closed ? null : once(stream, 'close'),
  );
  await Promise.race([Promise.all(closed), sleep(200, undefined, { ref: false })]);
  return child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
}

async function end(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.pid === undefined) return;
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await exited(child);
  clearTimeout(killer);
}

/** The last lines of an output. */
class Tail {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > TAIL_LINES) this.#lines.shift();
  }

  text(): string {
    return this.#lines.join('\n');
  }
}

/** A line longer than the limit arrives in pieces, so that a process without line ends cannot fill the memory. */
function forEachLine(stream: Readable | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''));
    if (rest.length > LINE_LIMIT) {
      onLine(rest);
      rest = '';
    }
  });
  stream?.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
