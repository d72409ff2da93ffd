import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packText, unpackText } from './packed-text.ts';

test('any text comes back', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.json()), fc.string(), (text, frequent) => {
      expect(unpackText(packText(text, frequent), frequent)).toBe(text);
    }),
  );
});

test('what is stored can be read as long as the format is the same', () => {
  const stored = Buffer.from('AYM72cBARykjPzcVv+8NjayMTaxMzWC+h9sGMgsA', 'base64');
  expect(unpackText(stored, 'home')).toBe(
    '[1763811000,"home:main","sighting",[["00:1E:06:12:34:56","=",{"10":[1,0]}]]]',
  );
});

test('what was not packed by this is refused, and takes no room', () => {
  for (const value of [undefined, 7, 'text', {}, new Uint8Array(), Buffer.from([2, 3]), Buffer.from([1, 0xff, 0xff])]) {
    expect(() => unpackText(value, '')).toThrow();
  }
  expect(() => unpackText(packText('x'.repeat(5_000_000), ''), '')).toThrow();
});
