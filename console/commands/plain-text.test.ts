import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';

test('text without control characters stays as it is', () => {
  const printable = fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text));
  fc.assert(
    fc.property(fc.array(printable), (lines) => {
      expect(plainText(lines.join('\n'))).toBe(lines.join('\n'));
    }),
  );
});

test('nothing that a terminal would obey is left', () => {
  const escapes = fc.constantFrom(
    '\u001b[31m',
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u001b]8;;x\u001b\\',
    '\u001bM',
    '\u009b1m',
  );
  const pieces = fc.array(fc.oneof(escapes, fc.string({ unit: 'binary-ascii' })));
  fc.assert(
    fc.property(pieces, (all) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be gone
      expect(plainText(all.join(''))).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});

test.each([
  ['\u001b[1;31mred\u001b[0m end', 'red end'],
  ['10 %\r20 %\r100 %\ndone', '100 %\ndone'],
  ['a\r\nb\r\n', 'a\nb\n'],
  ['\u001b]0;the title\u0007text', 'text'],
])('%j is shown as %j', (output, shown) => expect(plainText(output)).toBe(shown));

test('hostile output of a million characters is read within the time limit of a test', () => {
  const lengths = [
    'x'.repeat(1_000_000), // A search for line ends that begins anew at every character takes an hour for it.
    '\r'.repeat(1_000_000),
    '\u001b[0'.repeat(300_000),
    '\u001b]x'.repeat(300_000),
  ].map((output) => plainText(output).length);
  expect(lengths).toEqual([1_000_000, 0, 600_000, 300_000]);
});

test.each([
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['10 %\r', '10 %'],
  ['one\r\r\ntwo', 'one\ntwo'],
])('%j stays the text %j', (output, shown) => expect(plainText(output)).toBe(shown));
