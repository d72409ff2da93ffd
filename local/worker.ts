/** Runs tasks on one machine. Pending ones are in memory: after a restart, the worker finds unfinished ones in the database. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunTask } from '../functions/commands/runs/task.ts';
import { type TurnContext, takeTurn } from '../functions/commands/runs/turn.ts';
import type { Context } from '../functions/context.ts';
import type { Mailer } from '../functions/hooks/mailer.ts';
import { systemResolver } from '../functions/hooks/send.ts';
import type { HookTask } from '../functions/hooks/tasks.ts';
import { openTurns } from '../functions/hooks/turn.ts';
import type { AllowPrivate } from '../functions/http/context.ts';
import { rateLimitedWarnings } from '../functions/http/rate-limited-log.ts';
import type { ReportContext } from '../functions/monitoring/reports/site-report.ts';
import type { TaskQueue } from '../functions/task-queue.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { Log } from '../shared/log.ts';
import { MINUTE_MS, SECOND_MS } from '../shared/time.ts';

/** Tasks that run at the same time, each of another hook or run. */
const CONCURRENCY = 8;
const RETRY = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;

export interface Worker<Task> extends TaskQueue<Task> {
  /** Starts, also with the unfinished tasks of earlier processes. */
  start(): void;
  /** Aborts running tasks: the next start continues them. */
  close(): Promise<void>;
}

interface Work<Task> {
  /** For the log. */
  name: string;
  /** Runs a task. @returns when it is due again; null when it has ended */
  take(task: Task, signal: AbortSignal): Promise<Date | null>;
  unfinished(): AsyncIterable<Task>;
  /** Searches for unfinished tasks every minute, not only at the start. */
  sweeps?: boolean;
  /** Aborted when the worker is closed. */
  closing?: AbortController;
}

interface Waiting<Task> {
  task: Task;
  at: number;
  failures: number;
}

function createWorker<Task extends object>(
  { name, take, unfinished, sweeps = false, closing = new AbortController() }: Work<Task>,
  log: Log,
): Worker<Task> {
  /** By the JSON of the task, to deduplicate; the tasks that ran last are at the end. */
  const waiting = new Map<string, Waiting<Task>>();
  const running = new Map<string, Promise<void>>();
  const warn = rateLimitedWarnings(log);
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;
  /** One pass for many tasks that arrive together. */
  let scheduled: NodeJS.Immediate | undefined;
  /** Runs a function outside the request that has added a task, which must not pay for the reads of the task. */
  const outside = AsyncLocalStorage.snapshot();

  function put(wanted: Waiting<Task>): void {
    const key = JSON.stringify(wanted.task);
    const known = waiting.get(key);
    if (known === undefined || wanted.at < known.at) waiting.set(key, wanted);
    scheduled ??= outside(() => setImmediate(schedule));
  }

  /** Starts due tasks up to CONCURRENCY, and sets a timer for the next one. */
  function schedule(): void {
    clearTimeout(timer);
    clearImmediate(scheduled);
    scheduled = undefined;
    if (!isOpen) return;
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, { task, at, failures }] of waiting) {
      if (running.size >= CONCURRENCY) return;
      if (running.has(key)) continue;
      if (at > now) {
        next = Math.min(next, at);
        continue;
      }
      waiting.delete(key);
      const done = run(task, failures).finally(() => {
        running.delete(key);
        schedule();
      });
      running.set(key, done);
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(schedule, Math.min(next - now, MINUTE_MS)); // The longest, for a changed clock.
  }

  async function run(task: Task, failures: number): Promise<void> {
    try {
      const again = await take(task, closing.signal);
      if (again !== null) put({ task, at: again.getTime(), failures: 0 });
    } catch (error) {
      if (closing.signal.aborted) return;
      warn(name, { ...task, err: error }, `a task of ${name} failed; the worker retries it`);
      put({ task, at: Date.now() + backOffMs(failures, RETRY), failures: failures + 1 });
    }
  }

  async function resume(): Promise<void> {
    for (let failures = 0; isOpen; ) {
      try {
        for await (const task of unfinished()) put({ task, at: Date.now(), failures: 0 });
        if (!sweeps) return;
        failures = 0;
      } catch (error) {
        warn('unfinished', { err: error }, `cannot read the unfinished tasks of ${name}; the worker retries`);
        failures++;
      }
      const pauseMs = failures === 0 ? MINUTE_MS : backOffMs(failures, RETRY);
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  }

  return {
    async send(task, notBefore) {
      put({ task, at: notBefore.getTime(), failures: 0 });
    },

    start() {
      isOpen = true;
      void resume();
      schedule();
    },

    async close() {
      isOpen = false;
      clearTimeout(timer);
      clearImmediate(scheduled);
      closing.abort();
      await deadline(Promise.all(running.values()), 10 * SECOND_MS, () => {});
    },
  };
}

/** Runs batches and scans, each for ten seconds at a time, so that others get their turn. */
export function runWorker(
  context: TurnContext,
  log: Log,
  take: Work<RunTask>['take'] = (task, signal) => takeTurn(context, task, { lastsMs: 10 * SECOND_MS, signal }),
): Worker<RunTask> {
  return createWorker(
    {
      name: 'runs',
      take,
      async *unfinished() {
        for (const site of [null, ...(await context.sites.list()).map(({ id }) => id)])
          for await (const { id: run } of context.runs.running(site)) yield { run, site };
      },
    },
    log,
  );
}

/** Sends the messages of hooks. */
export function hookWorker(
  context: Pick<Context, 'hooks'> & ReportContext,
  settings: { allowPrivate: AllowPrivate; console?: string | null; mail?: Mailer },
  log: Log,
): Worker<HookTask> {
  const closing = new AbortController();
  const queue: TaskQueue<HookTask> = { send: (task, notBefore) => worker.send(task, notBefore) };
  const sending = { ...settings, resolve: systemResolver, signal: closing.signal };
  const work: Work<HookTask> = {
    name: 'hooks',
    take: openTurns({ ...context, queue, settings: sending, log }),
    async *unfinished() {
      for (const { id: site } of await context.sites.list()) yield { site };
    },
    sweeps: true,
    closing,
  };
  const worker = createWorker(work, log); // `queue` uses it.
  return worker;
}
