import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './json.ts';

const parsed = (text: string) => parseJson(Buffer.from(text));

test('is JSON.parse for what requests hold', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 10 }), (text) => {
      expect(parsed(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('what is no JSON in UTF-8 is refused', () => {
  for (const text of ['', '{', '"', '{"a"', '[1,]', '"\\']) {
    expect(() => parsed(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  }
  expect(() => parseJson(Uint8Array.of(0x22, 0xc3, 0x28, 0x22))).toThrow(/not JSON in UTF-8/);
});

test('what is nested too deep is refused before it is parsed', () => {
  expect(parsed(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeInstanceOf(Array);
  expect(() => parsed(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow('expected JSON with at most 64 levels');
  // Not even JSON: it is refused for its depth all the same, so nobody has parsed it.
  expect(() => parsed('{"a":['.repeat(100_000))).toThrow('expected JSON with at most 64 levels');
});

test('what holds too many values is refused before it is parsed', () => {
  expect(parsed(`[${'1,'.repeat(100_000)}1]`)).toHaveLength(100_001);
  expect(() => parsed(`[${'1,'.repeat(200_000)}`)).toThrow('expected JSON with at most 200000 values');
});

test('what stands in texts is no structure', () => {
  const text = `${'['.repeat(100)}\\"${','.repeat(300_000)}{\\\\`;
  expect(parsed(`["${text}", "${text}"]`)).toHaveLength(2);
});
