import type { Unreadable } from '../../shared/api/operation.ts';
import { problemOf } from '../../shared/problem.ts';
import type { Item } from './table.ts';

/** Decodes items. An unreadable one hides no other: it is listed, by what follows the prefix in its key. */
export function readable<T>(items: readonly Item[], prefix: string, decode: (item: Item) => T) {
  const found: T[] = [];
  const unreadable: Unreadable[] = [];
  for (const item of items) {
    try {
      found.push(decode(item));
    } catch (error) {
      unreadable.push({ id: item.sk.slice(prefix.length), problem: problemOf(error) });
    }
  }
  return { found, unreadable };
}
