/** Lists in requests. */
import * as z from 'zod';

/** How many faults of a request are described one by one. The others are counted. */
export const MAX_FAULTS = 20;

/** Parameter of the issue that stands for wrong items beyond those that are described: how many there are. */
export const OMITTED = 'omitted';

/**
 * A list with a largest length. `z.array(item).max(most)` parses every item before it looks at the length, and makes an
 * issue of every wrong one: a body of 10 MB can hold five million of them. Here a list that is too long is refused
 * unseen, and of wrong items only the first `MAX_FAULTS` become issues.
 */
export function list<Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) {
  return z.preprocess((items: z.input<Item>[], context) => {
    if (!Array.isArray(items)) return items; // The array below says what was expected.
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
