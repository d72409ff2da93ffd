import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from './json.ts';

const parsed = (text: string) => parseJson(Buffer.from(text));

test('is JSON.parse for what requests hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 10 }), async (text) => {
      expect(await parsed(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('what is no JSON in UTF-8 is refused', async () => {
  for (const text of ['', '{', '"', '{"a"', '[1,]', '"\\']) {
    await expect(parsed(text)).rejects.toMatchObject({ code: 'validation_failed' });
  }
  for (const bytes of [Uint8Array.of(0x22, 0xc3, 0x28, 0x22), Uint8Array.of(0x22, 0xc3)]) {
    await expect(parseJson(bytes)).rejects.toThrow(/not JSON in UTF-8/);
    expect(await parsed('"ä"')).toBe('ä'); // The next body is read as if nothing had been.
  }
});

test('what is nested too deep is refused before it is parsed', async () => {
  expect(await parsed(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeInstanceOf(Array);
  await expect(parsed(`${'['.repeat(65)}${']'.repeat(65)}`)).rejects.toThrow('expected JSON with at most 64 levels');
  // Not even JSON: it is rejected for its depth all the same, so it was not parsed.
  await expect(parsed('{"a":['.repeat(100_000))).rejects.toThrow('expected JSON with at most 64 levels');
});

test('what holds too many values is refused before it is parsed', async () => {
  expect(await parsed(`[${'1,'.repeat(100_000)}1]`)).toHaveLength(100_001);
  await expect(parsed(`[${'1,'.repeat(200_000)}`)).rejects.toThrow('expected JSON with at most 200000 values');
});

test('what stands in texts is no structure', async () => {
  const text = `${'['.repeat(100)}\\"${','.repeat(300_000)}{\\\\`;
  expect(await parsed(`["${text}", "${text}"]`)).toHaveLength(2);
});
