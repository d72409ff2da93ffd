import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EncodedBody } from './encoded-body.ts';

const OPTIONS = { contentType: 'text/plain', etag: '"x"' };

async function bytesOf(read: ReturnType<EncodedBody['read']>): Promise<Buffer> {
  return Buffer.from(await new Response(await read).arrayBuffer());
}

test('every reader gets all of the body, in either encoding, before and after it is complete', async () => {
  const piece = fc.string({ unit: 'grapheme', maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.integer({ min: 1, max: 300 }), async (pieces, times) => {
      const all = Array.from({ length: times }, () => pieces).flat();
      const body = new EncodedBody(() => all, OPTIONS);
      const plain = all.join('');
      const early = [bytesOf(body.read('gzip')), bytesOf(body.read('identity')), bytesOf(body.read('gzip'))] as const;
      expect(gunzipSync(await early[0]).toString()).toBe(plain);
      expect((await early[1]).toString()).toBe(plain);
      expect((await early[2]).equals(await early[0])).toBe(true);

      expect((await bytesOf(body.read('gzip'))).equals(await early[0])).toBe(true);
      expect((await bytesOf(body.read('identity'))).toString()).toBe(plain);
    }),
    { numRuns: 20 },
  );
});

test('a body is made once, and is the same bytes for all who read it at the same time', async () => {
  let made = 0;
  const body = new EncodedBody(() => [String(++made)], OPTIONS);
  expect(made).toBe(0);
  expect(await body.read('gzip')).toBe(await body.read('gzip'));
  const [first, second] = await Promise.all([body.read('identity'), body.read('identity')]);
  expect(first).toBe(second);
  expect((await bytesOf(body.read('identity'))).toString()).toBe('1');
});

test('a large body comes in pieces to those without gzip', async () => {
  const large = new EncodedBody(() => [Buffer.alloc(9e6, 'x')], OPTIONS);
  expect(await large.read('identity')).toBeInstanceOf(ReadableStream);
  expect((await bytesOf(large.read('identity'))).length).toBe(9e6);
});

test('a failure reaches everyone who reads meanwhile, and the next reader gets the body', async () => {
  let failures = 1;
  const body = new EncodedBody(function* () {
    yield 'x';
    if (failures-- > 0) throw new Error('no more');
    yield 'y';
  }, OPTIONS);
  const early = [bytesOf(body.read('gzip')), bytesOf(body.read('identity'))];
  for (const read of early) await expect(read).rejects.toThrow('no more');
  expect((await bytesOf(body.read('identity'))).toString()).toBe('xy');
  expect(gunzipSync(await bytesOf(body.read('gzip'))).toString()).toBe('xy');
});
