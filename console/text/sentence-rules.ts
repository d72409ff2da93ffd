/** English sentences of known patterns in another language: what the API and agents say as text. */

export type Rule = readonly [pattern: RegExp, said: string | ((...groups: string[]) => string)];

/** By the first rule whose pattern fits; a text that fits none stays as it is. `$1` is the first group. */
export function byRules(text: string, rules: readonly Rule[]): string {
  for (const [pattern, said] of rules) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const groups = found.slice(1).map((group) => group ?? '');
    if (typeof said === 'function') return said(...groups);
    return said.replace(/\$(\d)/g, (_, i: string) => groups[Number(i) - 1] ?? '');
  }
  return text;
}
