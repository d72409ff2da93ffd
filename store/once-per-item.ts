import type { Item } from './table.ts';

/**
 * What is derived from an item, derived once for each object: an item in memory (`point-memory.ts`) is the same object
 * until it is written, and a new one after that. The result is shared, and so must not be changed.
 */
export function oncePerItem<T>(derive: (item: Item) => T): (item: Item) => T {
  const derived = new WeakMap<Item, { result: T }>();
  return (item) => {
    const known = derived.get(item);
    if (known !== undefined) return known.result;
    const result = derive(item);
    derived.set(item, { result });
    return result;
  };
}
