/** How well a text fits what a person is typing. */

/** The text without accents and in lower case: `Küche` is found by `kuche` and `KÜCHE`. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * Each word of the query has to stand in the text. A small number is a good fit: each word counts 0 at the beginning of the
 * text, 1 at the beginning of a word, 2 inside of one.
 * @returns null when it does not fit
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

/** Those that fit, the best first; among equals the order stays. */
export function ranked<T>(query: string, all: readonly T[], textOf: (one: T) => string): T[] {
  return all
    .map((one) => ({ one, fit: rank(query, textOf(one)) }))
    .filter((found): found is { one: T; fit: number } => found.fit !== null)
    .sort((a, b) => a.fit - b.fit)
    .map(({ one }) => one);
}
