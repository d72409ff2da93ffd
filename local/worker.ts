/**
 * Carries tasks out, on one machine: those that are due later wait in memory. A process that ends forgets them, and the next
 * one finds in the database what is unfinished.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunTask } from '../functions/commands/runs/task.ts';
import { type TurnContext, takeTurn } from '../functions/commands/runs/turn.ts';
import type { Context } from '../functions/context.ts';
import { systemResolver } from '../functions/hooks/send.ts';
import type { HookTask } from '../functions/hooks/tasks.ts';
import { openTurns } from '../functions/hooks/turn.ts';
import type { AllowPrivate } from '../functions/http/context.ts';
import { rateLimitedWarnings } from '../functions/http/rate-limited-log.ts';
import type { TaskQueue } from '../functions/task-queue.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { Log } from '../shared/log.ts';

/** Tasks that are carried out at the same time, each of another hook or run. */
const CONCURRENCY = 8;
/** How long it waits for tasks that have begun. */
const CLOSE_WITHIN_MS = 10_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;
/** Of a run. Then the next one has its turn, if others wait. */
const TURN_MS = 10_000;
/** How often hooks are looked at that nothing wakes, for digests. */
const SWEEP_EVERY_MS = 60_000;

export interface Worker<Task> extends TaskQueue<Task> {
  /** Begins, with what earlier processes have left undone. */
  start(): void;
  /** Breaks off what has begun: the next start goes on with it. */
  close(): Promise<void>;
}

interface Work<Task> {
  /** In the log. */
  name: string;
  /** Carries a task out. @returns when it is due again; null when it has ended */
  take(task: Task, signal: AbortSignal): Promise<Date | null>;
  unfinished(): AsyncIterable<Task>;
  /** Looks for what is unfinished again and again, not only at the start. */
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
  /** By the text of the task, those that were carried out last at the end: one is not added twice. */
  const waiting = new Map<string, Waiting<Task>>();
  const running = new Map<string, Promise<void>>();
  const warn = rateLimitedWarnings(log);
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;
  /** Many tasks that come together are looked at once. */
  let scheduled: NodeJS.Immediate | undefined;
  /** Runs something outside of the request that has added a task, which is charged for what it consumes itself. */
  const outside = AsyncLocalStorage.snapshot();

  function put(wanted: Waiting<Task>): void {
    const key = JSON.stringify(wanted.task);
    const known = waiting.get(key);
    if (known === undefined || wanted.at < known.at) waiting.set(key, wanted);
    scheduled ??= outside(() => setImmediate(schedule));
  }

  /** Begins what is due and has room, and sets a timer for what comes next. */
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
      const done = carryOut(task, failures).finally(() => {
        running.delete(key);
        schedule();
      });
      running.set(key, done);
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(schedule, Math.min(next - now, SWEEP_EVERY_MS));
  }

  async function carryOut(task: Task, failures: number): Promise<void> {
    try {
      const again = await take(task, closing.signal);
      if (again !== null) put({ task, at: again.getTime(), failures: 0 });
    } catch (error) {
      if (closing.signal.aborted) return;
      warn(name, { ...task, err: error }, `a task of ${name} could not be carried out; it is tried again`);
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
        warn('unfinished', { err: error }, `unfinished tasks of ${name} could not be looked for; it is tried again`);
        failures++;
      }
      const pauseMs = failures === 0 ? SWEEP_EVERY_MS : backOffMs(failures, RETRY);
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
      await deadline(Promise.all(running.values()), CLOSE_WITHIN_MS, () => {});
    },
  };
}

/** Works at batches and scans. @param take takes one turn. @returns when the next is due; null when there is none */
export function runWorker(
  context: TurnContext,
  log: Log,
  take: Work<RunTask>['take'] = (task, signal) => takeTurn(context, task, { lastsMs: TURN_MS, signal }),
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
  context: Pick<Context, 'hooks' | 'devices' | 'sites' | 'now'>,
  settings: { allowPrivate: AllowPrivate; console?: string | null },
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
  const worker = createWorker(work, log);
  return worker;
}
