/**
 * Works at batches, on one machine: turns that are due wait in memory, and those of different tokens take turns. What is
 * forgotten when the process ends is found again in the database at the next start.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { BatchTask } from '../api/batches/queue.ts';
import { type TurnContext, takeTurn } from '../api/batches/turn.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { BatchId } from '../shared/identity.ts';
import type { Log } from '../shared/log.ts';

/** Batches that are worked at at the same time; of one token, so that others find a place. */
const CONCURRENCY = 8;
const OF_ONE_TOKEN = 2;
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
  /** By token, those that had a turn last at the end. */
  const waiting = new Map<string, Map<BatchId, Waiting>>();
  const running = new Map<BatchId, { token: string; done: Promise<void> }>();
  const closing = new AbortController();
  let isOpen = false;
  let timer: NodeJS.Timeout | undefined;
  /** Runs something outside of the request that has added a turn, which is charged for what it consumes itself. */
  const outside = AsyncLocalStorage.snapshot();

  function put({ batch, token }: BatchTask, wanted: Waiting): void {
    const ofToken = waiting.get(token) ?? new Map<BatchId, Waiting>();
    waiting.set(token, ofToken);
    const known = ofToken.get(batch);
    if (known === undefined || wanted.at < known.at) ofToken.set(batch, wanted);
  }

  /** Begins what is due and has room, and sets a timer for what comes next. */
  function schedule(): void {
    clearTimeout(timer);
    if (!isOpen) return;
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (let hasBegun = true; hasBegun; ) {
      hasBegun = false;
      // A token that had a turn comes to the end, and so it is looked at again, after the others.
      for (const [token, batches] of [...waiting]) {
        if (running.size >= CONCURRENCY) return;
        if ([...running.values()].filter((one) => one.token === token).length >= OF_ONE_TOKEN) continue;
        const due = [...batches].filter(([batch]) => !running.has(batch));
        const [first] = due.sort(([, a], [, b]) => a.at - b.at);
        if (first === undefined) continue;
        const [batch, { at, failures }] = first;
        if (at > now) {
          next = Math.min(next, at);
          continue;
        }
        batches.delete(batch);
        waiting.delete(token);
        if (batches.size > 0) waiting.set(token, batches);
        begin({ batch, token }, failures);
        hasBegun = true;
      }
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(schedule, next - now);
  }

  function begin(task: BatchTask, failures: number): void {
    const done = outside(take, task.batch, closing.signal)
      .then(
        (nextMs) => {
          if (nextMs !== null) put(task, { at: Date.now() + nextMs, failures: 0 });
        },
        (error: unknown) => {
          log.warn({ err: error, batch: task.batch }, 'a batch could not be worked at; it is tried again');
          put(task, { at: Date.now() + backOffMs(failures, RETRY), failures: failures + 1 });
        },
      )
      .finally(() => {
        running.delete(task.batch);
        schedule();
      });
    running.set(task.batch, { token: task.token, done });
  }

  async function resume(failures = 0): Promise<void> {
    try {
      for await (const { id, actor } of context.batches.running()) {
        put({ batch: id, token: actor }, { at: Date.now(), failures: 0 });
      }
      schedule();
    } catch (error) {
      log.warn({ err: error }, 'batches that go on could not be looked for; it is tried again');
      if (isOpen) setTimeout(() => void resume(failures + 1), backOffMs(failures, RETRY)).unref();
    }
  }

  return {
    add(task, afterMs) {
      put(task, { at: Date.now() + afterMs, failures: 0 });
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
      const turns = Promise.all([...running.values()].map(({ done }) => done));
      await deadline(turns, CLOSE_WITHIN_MS, () => {});
    },
  };
}
