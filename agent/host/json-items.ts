/** Lists that programs such as `ip` and `lldpcli` print as JSON: an invalid entry is skipped, the others stay. */
import * as z from 'zod';
import { parseJson } from '../../shared/json.ts';

/** The valid entries of a list, none without a list. iproute2 5.9 prints invalid JSON for the details of some tunnels. */
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

/** A list without the entries that do not match; anything else is an empty list. */
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
