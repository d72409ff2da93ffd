/** Lists and objects in requests, and the filter by sites. */
import * as z from 'zod';
import { startOf } from '../text.ts';

/** Listed faults of a request. Further ones are only counted. */
export const MAX_FAULTS = 20;

/** The parameter of an issue with the number of invalid items that are not listed. */
export const OMITTED = 'omitted';

/**
 * A list with a maximum length, checked before its items, of which only the first `MAX_FAULTS` invalid ones become issues.
 * `z.array(item).max(most)` parses every item first: a body of 10 MB can hold five million invalid ones.
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

export const OnlySites = z.string().min(1).max(17_000).optional().meta({
  'x-checked-further': true,
  description: 'Only these sites, by ids and tags separated by commas, such as `home,tag:customers`. Default: all.',
});

/** Unknown keys that an error names, and characters of each. */
const MOST_KEYS = 5;
const MAX_KEY = 40;

/** A strict object whose error for unknown keys lists the expected ones. */
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
