/**
 * Long computations in slices, because one thread handles all requests. Between two slices of any computations, everything
 * that is ready is handled: requests, responses and timers.
 * @promise No request holds up the others: large work is sliced, large answers are few: `functions/table/slices.test.ts`,
 *   `functions/http/semaphore.test.ts`.
 */
import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';

/** Items between two checks of the clock: a fraction of a slice, at microseconds per item. */
const SLICE = 100;
/** Items that are sorted at once. */
const RUN = 500;

/** Yields the items slice by slice. Other requests get their turn between two slices. */
export async function* inSlices<Item>(items: readonly Item[], size = SLICE): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    yield items.slice(at, at + size);
    if (at + size < items.length) await yieldToEventLoop();
  }
}

/** A sorted copy. Equal items keep their order (stable sort). */
export async function sortedInSlices<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  let runs: Item[][] = [];
  for await (const slice of inSlices(items, RUN)) runs.push([...slice].sort(compare));
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
      await yieldToEventLoop();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists. */
export function merge<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Item[] {
  const merged: Item[] = [];
  let at = 0;
  for (const item of first) {
    for (let other = second[at]; other !== undefined && compare(other, item) < 0; other = second[++at])
      merged.push(other);
    merged.push(item);
  }
  for (; at < second.length; at++) merged.push(second[at] as Item);
  return merged;
}

/** Length of a slice; then others get their turn. */
const SLICE_MS = 2;
/** The computations that wait for their next slice, first come first served. */
const waiting: (() => void)[] = [];
let isTurning = false;
/** When the current slice began. */
let begunAt: number | null = null;

/** Resolves when all ready events have been handled, and the waiting computations have had a slice; at once if a slice has just begun. */
export function yieldToEventLoop(): Promise<void> {
  if (begunAt !== null && performance.now() - begunAt < SLICE_MS) return Promise.resolve();
  const turn = new Promise<void>((begin) => waiting.push(begin));
  if (!isTurning) void takeTurns();
  return turn;
}

/** Runs one slice, or several short ones, per tick of the event loop. */
async function takeTurns(): Promise<void> {
  isTurning = true;
  while (waiting.length > 0) {
    await setImmediate();
    begunAt = performance.now();
    do {
      waiting.shift()?.();
      // A tick comes when nothing is left to do in this turn of the event loop: the slice has ended, or waits for something.
      await new Promise((resolve) => process.nextTick(resolve));
    } while (waiting.length > 0 && performance.now() - begunAt < SLICE_MS);
    begunAt = null;
  }
  isTurning = false;
}

/**
 * Runs this many functions at a time, the others in the order of the calls. Each begins in a slice of its own: with an embedded
 * database, which responds at once, all of them would run in one tick of the event loop.
 */
export function openLimit(atOnce: number) {
  const limit = pLimit(atOnce);
  const run = <T>(act: () => Promise<T>): Promise<T> =>
    limit(async () => {
      await yieldToEventLoop();
      return act();
    });
  return Object.assign(run, { clearQueue: () => limit.clearQueue() });
}
