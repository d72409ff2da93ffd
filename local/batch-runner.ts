/**
 * Works at batches, on one machine: turns that are due wait in memory. What is forgotten when the process ends is found again in
 * the database at the next start.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { BatchTask } from '../functions/commands/batches/queue.ts';
import { type TurnContext, takeTurn } from '../functions/commands/batches/turn.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { BatchId } from '../shared/identity.ts';
import type { Log } from '../shared/log.ts';

/** Batches that are worked at at the same time. */
const CONCURRENCY = 8;
/** Then the next one has its turn, if others wait. */
const TURN_MS = 10_000;
/** How long it waits for turns that have begun: their commands are acknowledged by then, and go on. */
const CLOSE_WITHIN_MS = 10_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;

export interface BatchRunner {
  /** Takes a turn that is due; one of the same batch that waits longer is forgotten. */
  add(task: BatchTask, afterMs: number): void;
  /** Begins, with what earlier processes have left undone. */
  start(): void;
  /** Breaks off the turns that have begun: the next start goes on with them. */
  close(): Promise<void>;
}

interface Waiting {
  at: number;
  failures: number;
}

/** @param take takes one turn of a batch. @returns in how many milliseconds the next is due; null when there is none */
export function createBatchRunner(
  context: TurnContext,
  log: Log,
  take: (batch: BatchId, signal: AbortSignal) => Promise<number | null> = (batch, signal) =>
    takeTurn(context, batch, { lastsMs: TURN_MS, signal }),
): BatchRunner {
  const waiting = new Map<BatchId, Waiting>();
  const running = new Map<BatchId, Promise<void>>();
  const closing = new AbortController();
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;
  /** Runs something outside of the request that has added a turn, which is charged for what it consumes itself. */
  const outside = AsyncLocalStorage.snapshot();

  function put(batch: BatchId, wanted: Waiting): void {
    const known = waiting.get(batch);
    if (known === undefined || wanted.at < known.at) waiting.set(batch, wanted);
  }

  /** Begins what is due and has room, and sets a timer for what comes next. */
  function schedule(): void {
    clearTimeout(timer);
    if (!isOpen) return;
    const now = Date.now();
    const free = [...waiting].filter(([batch]) => !running.has(batch)).sort(([, a], [, b]) => a.at - b.at);
    for (const [batch, { at, failures }] of free) {
      if (running.size >= CONCURRENCY) return;
      if (at > now) {
        timer = setTimeout(schedule, at - now);
        return;
      }
      waiting.delete(batch);
      begin(batch, failures);
    }
  }

  function begin(batch: BatchId, failures: number): void {
    const done = outside(take, batch, closing.signal)
      .then(
        (nextMs) => {
          if (nextMs !== null) put(batch, { at: Date.now() + nextMs, failures: 0 });
        },
        (error: unknown) => {
          log.warn({ err: error, batch }, 'a batch could not be worked at; it is tried again');
          put(batch, { at: Date.now() + backOffMs(failures, RETRY), failures: failures + 1 });
        },
      )
      .finally(() => {
        running.delete(batch);
        schedule();
      });
    running.set(batch, done);
  }

  async function resume(failures = 0): Promise<void> {
    try {
      for await (const { id } of context.batches.running()) put(id, { at: Date.now(), failures: 0 });
      schedule();
    } catch (error) {
      log.warn({ err: error }, 'batches that go on could not be looked for; it is tried again');
      if (isOpen) setTimeout(() => void resume(failures + 1), backOffMs(failures, RETRY)).unref();
    }
  }

  return {
    add({ batch }, afterMs) {
      put(batch, { at: Date.now() + afterMs, failures: 0 });
      schedule();
    },

    start() {
      isOpen = true;
      void resume();
    },

    async close() {
      isOpen = false;
      clearTimeout(timer);
      closing.abort();
      await deadline(Promise.all(running.values()), CLOSE_WITHIN_MS, () => {});
    },
  };
}
