import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestBytesOf, digestMatches, digestOf, makeToken, tokenId } from './token.ts';

test('a token that was made here leads to its row and matches its digest only', () => {
  for (let i = 0; i < 200; i++) {
    const token = makeToken();
    expect(token).toMatch(/^lr_[0-9a-f]{16}\.[A-Za-z0-9_-]{43}$/);
    expect(tokenId(token)).toBe(token.slice(3, 19));
    const stored = Buffer.from(digestOf(token), 'hex');
    expect(digestMatches(digestBytesOf(token), stored)).toBe(true);
    expect(digestMatches(digestBytesOf(makeToken()), stored)).toBe(false);
    expect(digestMatches(digestBytesOf(token), null)).toBe(false);
  }
});

test('a chosen token has an id too; a text that cannot be one has not', () => {
  expect(tokenId('my-own-token-of-home')).toMatch(/^[0-9a-f]{16}$/);
  for (const text of ['', 'short', 'with blanks in between', 'lr_0123456789abcdef.short', 'ünïcödé-token-text']) {
    expect(tokenId(text)).toBeNull();
  }
});

test('no text makes the checks throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      tokenId(text);
      expect(digestMatches(digestBytesOf(text), digestBytesOf('another text'))).toBe(text === 'another text');
    }),
  );
});
