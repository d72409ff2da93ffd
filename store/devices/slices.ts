/** Long computations in slices, because one thread handles all requests. */
import { setImmediate } from 'node:timers/promises';

/** Items per slice: a few milliseconds of work, at microseconds per item. */
const SLICE = 500;

/** Yields the items slice by slice. After each slice other requests get their turn. */
export async function* inSlices<Item>(items: readonly Item[], size = SLICE): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    yield items.slice(at, at + size);
    await yieldToEventLoop();
  }
}

/** A sorted copy. Equal items keep their order (stable sort). */
export async function sortedInSlices<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  let runs: Item[][] = [];
  for await (const slice of inSlices(items)) runs.push([...slice].sort(compare));
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

/** Resolves when all ready events have been handled: requests, responses, timers. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate();
}
