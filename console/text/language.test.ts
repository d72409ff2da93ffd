/** That both languages say the same things: the compiler finds what the German lacks, and this finds what it has too much. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const CONSOLE = join(import.meta.dirname, '..');
const german = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('texts.de.ts') && !file.includes('node_modules'),
);

/** The paths of all texts, each with how many values it is given. A list of words is one text: languages need more or fewer. */
function shapeOf(value: unknown, path: string): string[] {
  if (typeof value === 'function') return [`${path}(${value.length})`];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, part]) => shapeOf(part, `${path}.${key}`));
}

/** The paths that one has and the other has not. */
function surplusOf(german: unknown, english: unknown): string[] {
  const known = new Set(shapeOf(english, ''));
  return shapeOf(german, '').filter((path) => !known.has(path));
}

test.each(german)('%s has no text that the English does not have', async (file) => {
  const translated: Record<string, unknown> = await import(join(CONSOLE, file));
  const original: Record<string, unknown> = await import(join(CONSOLE, file.replace('.de.ts', '.ts')));
  for (const texts of Object.values(translated)) {
    // The English may have another name, such as `checkTexts`: it is what fits best.
    const [least] = Object.values(original)
      .map((english) => surplusOf(texts, english))
      .toSorted((a, b) => a.length - b.length);
    expect(least).toEqual([]);
  }
});
