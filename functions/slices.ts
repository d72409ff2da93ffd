/** Long work in slices, because one thread answers all requests. */
import { setImmediate } from 'node:timers/promises';

/** Items in a slice: a few milliseconds of work, where one item takes microseconds. */
const SLICE = 1_000;

/** The items, slice by slice. Behind each slice, other requests have their turn. */
export async function* inSlices<Item>(items: readonly Item[], size = SLICE): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) {
    yield items.slice(at, at + size);
    await othersHaveTheirTurn();
  }
}

/** Comes back when everything has been handled that was ready: requests, answers, timers. */
export function othersHaveTheirTurn(): Promise<void> {
  return setImmediate();
}
