/** Lists and objects in requests, and which sites a list is about. */
import * as z from 'zod';
import { startOf } from '../text.ts';

/** How many faults of a request are listed. Further ones are only counted. */
export const MAX_FAULTS = 20;

/** Parameter of the issue that stands for the invalid items that are not listed: their number. */
export const OMITTED = 'omitted';

/**
 * A list with a maximum length. `z.array(item).max(most)` parses every item before it checks the length, and creates an
 * issue for every invalid one: a body of 10 MB can hold five million of them. Here a list that is too long is refused
 * before its items are parsed, and only the first `MAX_FAULTS` invalid items become issues.
 */
export function list<Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) {
  return z.preprocess((items: z.input<Item>[], context) => {
    if (!Array.isArray(items)) return items; // The array schema below reports what was expected.
    if (items.length > max) {
      context.addIssue(`expected at most ${max} items, got ${items.length}`);
      return z.NEVER;
    }
    let wrong = 0;
    for (const [i, one] of items.entries()) {
      if (z.validate(item, one)) continue;
      wrong++;
      if (wrong > MAX_FAULTS) continue;
      for (const issue of item.safeParse(one).error?.issues ?? []) {
        context.addIssue({ code: 'custom', message: issue.message, path: [i, ...issue.path] });
      }
    }
    if (wrong > MAX_FAULTS) {
      context.addIssue({ code: 'custom', params: { [OMITTED]: wrong - MAX_FAULTS } });
    }
    return items;
  }, z.array(item).min(min).max(max));
}

/** Which sites a list is about. */
export const OnlySites = z.string().min(1).max(17_000).optional().meta({
  'x-checked-further': true,
  description: 'Only these sites, by ids and tags separated by commas, such as `home,tag:customers`. Default: all.',
});

/** Keys that are named, and how much of each. */
const MOST_KEYS = 5;
const MAX_KEY = 40;

/** An object of these fields and no others. What is wrong with another one names them. */
export function only<Shape extends z.ZodRawShape>(shape: Shape) {
  const expected = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const keys = issue.keys.slice(0, MOST_KEYS).map((key) => JSON.stringify(startOf(key, MAX_KEY)));
      return `Unrecognized key: ${keys.join(', ')}; expected ${expected}`;
    },
  });
}
