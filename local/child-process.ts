/** The only file of the server that starts processes: long-running ones (the agent), and one-shot ones (an installation). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backOffMs } from '../shared/async.ts';

/** Stored lines of output, for the message when a process fails. */
const TAIL_LINES = 20;
const LINE_LIMIT = 4_096;

const BACK_OFF = { firstMs: 100, longestMs: 5_000, least: 0.5 } as const;
const STOP_WITHIN_MS = 5_000;

type Argv = readonly [program: string, ...args: string[]];

export interface ChildOptions {
  /** For messages. */
  name: string;
  /** Readable by every user of the host: it must not contain a secret. */
  argv: Argv;
  /** The whole environment of the process. */
  env: NodeJS.ProcessEnv;
  /** It is ready when a line of its output matches, or when a probe resolves. */
  ready: { line(text: string): boolean } | { probe(signal: AbortSignal): Promise<unknown> };
  readyWithinMs: number;
  /** Whether to retry a failed first start instead of throwing. */
  keepTrying?: boolean;
  /** Keeps its standard input open while this process lives, so that the child notices the end of this process. */
  holdStdin?: boolean;
  /** Full path of setpriv, with which the kernel kills the child when this process dies; null if not installed. */
  setpriv: string | null;
  /** Called with complete lines of standard output and error. */
  onLine?(line: string): void;
  log: Logger;
}

/** A process that restarts whenever it ends, until `stop`. */
export interface SupervisedChild {
  /** Process id; null while no process runs. */
  readonly pid: number | null;
  readonly isReady: boolean;
  readonly restarts: number;
  /** The last lines of output of the current or the last process. */
  outputTail(): string;
  /** Closes its input and sends SIGTERM, and SIGKILL after five seconds. Resolves when the process is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a process and resolves when it is ready. If the process ends later, restarts it with a back-off from 0.1 s to 5 s.
 * @throws {Error} if this first start ends or times out, with its last output; with `keepTrying` it resolves and retries
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
      if (readyAt !== null) log.warn({ child: name, output: this.#tail.text() }, `${name} has ended; restarting it`);
      failures = readyAt !== null && Date.now() - readyAt >= 10_000 ? 0 : failures; // Ready for 10 s: it is stable.
      const waitMs = backOffMs(failures++, BACK_OFF);
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      this.restarts++;
      readyAt = await this.#tryRun();
    }
  }

  /** The time at which the process became ready; null if it did not. */
  async #tryRun(): Promise<number | null> {
    try {
      return await this.#run();
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#options.log.error({ child: this.#options.name }, (error as Error).message);
      return null;
    }
  }

  /** Starts the process and resolves when it is ready. When this rejects, the process is gone. */
  async #run(): Promise<number> {
    const { argv, env, holdStdin, name, ready, readyWithinMs, setpriv } = this.#options;
    const child = spawn(...withDeathSignal(argv, setpriv), {
      env,
      stdio: [holdStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // A process group of its own: Ctrl-C in a terminal would otherwise end the child before the parts that need it.
      detached: true,
    });
    this.#child = child;
    this.#tail = new Tail();
    killWithUs(child);
    child.stdin?.on('error', () => {}); // A child may close its input; only its exit matters.
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
      child.once('error', reject); // The program could not be started.
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

/** Without setpriv, a child is killed only when this process exits on its own. */
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

interface RunOptions {
  /** Its whole environment; default: ours. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs: number;
  /** Written to its standard input, which is then closed. For secrets. */
  input?: string;
  /** Called with complete lines of standard output and error. */
  onLine?(line: string): void;
  signal?: AbortSignal;
}

export interface Ended {
  /** Exit code; null if it could not start, or a signal ended it. */
  code: number | null;
  /** The last lines of its output, or why it could not start. */
  output: string;
  timedOut: boolean;
}

/** Runs a program to its end, and never rejects. At the time limit it gets SIGTERM, and SIGKILL five seconds later. */
export async function runToEnd([program, ...args]: Argv, options: RunOptions): Promise<Ended> {
  const child = spawn(program, args, {
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
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
  child.stdin.on('error', () => {}); // The program may end without reading its input.
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

/** Resolves when the process is gone and its output has been read, with a description of how it ended. */
async function exited(child: ChildProcess): Promise<string> {
  if (child.pid === undefined) return 'no process'; // It could not start, which the event `error` reports.
  if (child.exitCode === null && child.signalCode === null) await new Promise((gone) => child.once('exit', gone));
  // Waits only briefly: a descendant may keep the pipes open.
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

/** Passes on a line beyond the limit in pieces, so that output without line ends cannot fill the memory. */
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
