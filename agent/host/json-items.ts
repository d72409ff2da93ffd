/** Lists that programs print as JSON, such as `ip` and `lldpcli`: an entry that is odd costs only itself. */
import * as z from 'zod';
import { parseJson } from '../../shared/json.ts';

/**
 * The entries of a list, without those that are no JSON: iproute2 5.9 prints the details of some tunnels so that they are
 * not. Of a text without a list there are none.
 */
export function jsonItems(text: string): unknown[] {
  const whole = parseJson(text);
  if (Array.isArray(whole)) return whole;
  const items: unknown[] = [];
  let depth = 0;
  let begin = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/g)) {
    if (depth === 1 && (token === ',' || token === ']')) {
      items.push(parseJson(text.slice(begin, index)));
      begin = index + 1;
    }
    if (token === '[' || token === '{') {
      if (depth === 0) begin = index + 1;
      depth++;
    } else if (token === ']' || token === '}') depth--;
  }
  return items.filter((item) => item !== null);
}

/** A list of which what does not fit is left out; whatever is no list is an empty one. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((all) =>
      all.flatMap((each): z.output<Item>[] => {
        const parsed = item.safeParse(each);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}
