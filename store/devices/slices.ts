/**
 * Long computations in slices, because one thread handles all requests. Between two slices, of whomever, all that is ready
 * is handled; and the slices of all computations take turns by site, so that ten of them delay others no more than one.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { type Holder, Turns } from '../../shared/turns.ts';

/** Items between two looks at the clock: a fraction of a slice, at microseconds per item. */
const SLICE = 100;
/** A run that is sorted at once. */
const RUN = 500;

/** Yields the items slice by slice. Between two slices other requests get their turn. */
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
    for (let other = second[at]; other !== undefined && compare(other, item) < 0; other = second[++at]) {
      merged.push(other);
    }
    merged.push(item);
  }
  for (; at < second.length; at++) merged.push(second[at] as Item);
  return merged;
}

/** Work that is done for nobody in particular takes turns as if it were that of one site. */
const NOBODY: Holder = { site: '', user: '' };
const current = new AsyncLocalStorage<Holder>();

/** Does work in the turns of somebody, as far as it is cut into slices. */
export function inTurnsOf<T>(holder: Holder, work: () => T): T {
  return current.run(holder, work);
}

/** In whose turns this is done. */
export function currentHolder(): Holder {
  return current.getStore() ?? NOBODY;
}

/** What waits for the next slice. A site pays for one with its milliseconds, so that short ones do not wait for long ones. */
const waiting = new Turns<{ site: string; begin: () => void }>();
let isTurning = false;

/**
 * Resolves when all ready events have been handled, requests, responses and timers, and it is the turn of the holder for
 * whom this is done; at once in a slice that has only just begun.
 */
export function yieldToEventLoop(): Promise<void> {
  if (begunAt !== null && performance.now() - begunAt < SLICE_MS) return Promise.resolve();
  const holder = currentHolder();
  const turn = new Promise<void>((begin) => waiting.add(holder, { site: holder.site, begin }));
  if (!isTurning) void takeTurns();
  return turn;
}

/** How long a slice goes on; then others have their turn. */
const SLICE_MS = 2;
/** In each turn of the event loop so much time for short slices. One that is not short is the last. */
const SLICES_MS = 5;
/** When the slice has begun that runs now. */
let begunAt: number | null = null;

async function takeTurns(): Promise<void> {
  isTurning = true;
  while (waiting.size > 0) {
    await setImmediate();
    let took = 0;
    for (let all = 0; took < SLICE_MS && all < SLICES_MS; all += took) {
      const next = waiting.next(undefined, 0);
      if (next === undefined) break;
      begunAt = performance.now();
      next.begin();
      await sliceDone();
      took = performance.now() - begunAt;
      begunAt = null;
      waiting.pay(next.site, took);
    }
  }
  isTurning = false;
}

/** A tick comes when nothing is left to do in this turn of the event loop: the slice has ended, or waits for something. */
function sliceDone(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
