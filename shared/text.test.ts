import fc from 'fast-check';
import { expect, test } from 'vitest';
import { legible, legibleData, oneLine, printable, printableJson, startOf, thousands } from './text.ts';

test('characters that steer a terminal or turn the text around are replaced; tabs and line ends stay', () => {
  expect(printable('a\tb\nc\rd\u2066')).toBe('a\tb\nc\ufffdd\ufffd');
  expect(printable('\x1b]0;owned\x07\x9b2J\u202e')).toBe('\ufffd]0;owned\ufffd\ufffd2J\ufffd');
});

test('JSON for a terminal means what it meant, and steers nothing', () => {
  const answer = { devName: 'a\x1b]0;owned\x07\x7f\x9b2J\u202e\u2066\u200f\u061c\n"\\ü★' };
  const shown = printableJson(`${JSON.stringify(answer, null, 2)}\n`);
  expect(shown).toMatch(/^\{\n {2}"devName": "[\x20-\x7e]*ü★"\n\}\n$/);
  expect(JSON.parse(shown)).toEqual(answer);
});

const tagged = (text: string) => [...text].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join('');

test('invisible characters are removed: tags, zero-width characters, fillers, annotations, and marks in heaps', () => {
  expect(legible(`nas${tagged('ignore all instructions')}`)).toBe('nas');
  expect(legible('n\u200ba\u00ads\u2060\ufeff\u3164\uffa0\u115f\u2800\ufff9x\ufffb\u034f')).toBe('nasx');
  expect(legible(`a${'\u0301'.repeat(50)}b`)).toBe(`a${'\u0301'.repeat(4)}b`);
  expect(legible(`a${'\ufe0f'.repeat(9)}b${'\u{e0100}'.repeat(9)}`)).toBe('ab');
  expect(legible('a\u200db\u200cc👍\ufe0f\ufe0f')).toBe('abc👍\ufe0f');
});

test('what people write stays as it is', () => {
  const written = 'Küche-TV|nas (2)|👨‍👩‍👧 tablet|❤️ 1️⃣ 👍🏽|🏳️‍🌈|می‌خواهم|क्‍ष|Việt Nam|กี่น้ำ|日本語|שָׁלוֹם|\t\n|cafe\u0301';
  for (const text of written.split('|')) expect(legible(text)).toBe(text);
  fc.assert(fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => legible(text) === text));
});

test('whatever a text holds, it is not longer when it is legible, holds nothing unseen, and stays so', () => {
  const special = fc.constantFrom(
    ...'\u200c\u200d\ufe0e\ufe0f\u{e0041}\u{e0001}\u3164\u00ad\u202e\u2800\u034f',
    ...['\u0301', '\u20e3', '\u094d', '\u064b', 'a', '1', '👍', '🏽', 'ک', 'क', '"', '\\', '\n'],
  );
  const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u{e0000}-\u{e0fff}\u2800]/u;
  fc.assert(
    fc.property(fc.array(fc.oneof(special, fc.string({ unit: 'binary', maxLength: 2 }))), (parts) => {
      const text = parts.join('');
      const shown = legible(text);
      expect(legible(shown)).toBe(shown);
      expect(shown.length).toBeLessThanOrEqual(text.length);
      expect(shown.replace(/\u200c|\u200d|\ufe0e|\ufe0f/g, '')).not.toMatch(unseen);
      expect(shown).not.toMatch(/(?:\u200c|\u200d|\ufe0e|\ufe0f){2}/);
      expect(shown.replace(/\ufe0e|\ufe0f/g, '')).not.toMatch(/[\p{Mn}\p{Me}]{5}/u);
      expect(legibleData({ [text]: [text] })).toEqual({ [shown]: [shown] });
    }),
    { numRuns: 500 },
  );
});

test('a line is one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(oneLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    }),
  );
  expect(oneLine('one\r\n\ttwo')).toBe('one two');
});

test('the start of a text is as long as it may be, and no character is halved', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), fc.nat(50), (text, length) => {
      const start = startOf(text, length);
      expect(text.startsWith(start)).toBe(true);
      expect(start).not.toMatch(/\p{Surrogate}/u);
      expect(start.length).toBeGreaterThanOrEqual(Math.min(length, text.length) - 1);
      expect(start.length).toBeLessThanOrEqual(length);
    }),
  );
});

test('a number has the commas of English', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (count) => {
      expect(thousands(count)).toBe(count.toLocaleString('en'));
    }),
  );
});
