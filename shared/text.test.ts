import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine, printable, printableJson, startOf, thousands } from './text.ts';

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
