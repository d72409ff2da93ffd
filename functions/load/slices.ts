/** Long work in slices, because one thread answers all requests. */
import { setImmediate } from 'node:timers/promises';

/** Items in a slice: a few milliseconds of work, where one item takes microseconds. */
const SLICE = 500;

/** The items, slice by slice. Behind each slice, other requests have their turn. */
export async function* inSlices<Item>(items: readonly Item[], size = SLICE): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    yield items.slice(at, at + size);
    await othersHaveTheirTurn();
  }
}

/** A sorted copy. Items that compare as equal stay in their order. */
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
      await othersHaveTheirTurn();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** One sorted list of two. */
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

/** Comes back when everything has been handled that was ready: requests, answers, timers. */
export function othersHaveTheirTurn(): Promise<void> {
  return setImmediate();
}
