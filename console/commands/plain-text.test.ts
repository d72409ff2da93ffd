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

test('no control sequences are left', () => {
  const all = ['\u001b[31m', '\u001b[2J', '\u001b]0;title\u0007', '\u001b]8;;x\u001b\\', '\u001bM', '\u009b1m'];
  const escapes = fc.constantFrom(...all);
  const pieces = fc.array(fc.oneof(escapes, fc.string({ unit: 'binary-ascii' })));
  fc.assert(
    fc.property(pieces, (all) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it must find no control characters
      expect(plainText(all.join(''))).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});

test.each([
  ['\u001b[1;31mred\u001b[0m end', 'red end'],
  ['10 %\r20 %\r100 %\ndone', '100 %\ndone'],
  ['a\r\nb\r\n', 'a\nb\n'],
  ['\u001b]0;the title\u0007text', 'text'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['10 %\r', '10 %'],
  ['one\r\r\ntwo', 'one\ntwo'],
])('%j becomes %j', (output, text) => expect(plainText(output)).toBe(text));

test('hostile output of a million characters takes less than the time limit of a test', () => {
  const lengths = [
    'x'.repeat(1_000_000), // A quadratic search for line ends would take an hour.
    '\r'.repeat(1_000_000),
    '\u001b[0'.repeat(300_000),
    '\u001b]x'.repeat(300_000),
  ].map((output) => plainText(output).length);
  expect(lengths).toEqual([1_000_000, 0, 600_000, 300_000]);
});
