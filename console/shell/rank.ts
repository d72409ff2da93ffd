/** How well a text matches a query. */

/** The text without accents and in lower case: `Küche` is found by `kuche` and `KÜCHE`. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * A small number is a good match: each word of the query counts 0 at the beginning of the text, 1 at that of a word, 2 inside.
 * @returns null when a word does not occur
 */
export function rank(query: string, text: string): number | null {
  const inside = folded(text);
  let sum = 0;
  for (const word of folded(query).split(/\s+/)) {
    const at = inside.indexOf(word);
    if (at === -1) return null;
    if (at > 0) sum += beginsAWord(inside, word) ? 1 : 2;
  }
  return sum;
}

function beginsAWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ')) return true;
  }
  return false;
}

/** The matches, the best first; equals keep their order. */
export function ranked<T>(query: string, all: readonly T[], textOf: (one: T) => string): T[] {
  return all
    .map((one) => ({ one, fit: rank(query, textOf(one)) }))
    .filter((found): found is { one: T; fit: number } => found.fit !== null)
    .sort((a, b) => a.fit - b.fit)
    .map(({ one }) => one);
}
