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
    fc.asyncProperty(fc.array(piece), fc.integer({ min: 1, max: 2_000 }), async (pieces, times) => {
      const all = Array.from({ length: times }, () => pieces).flat();
      const body = new EncodedBody(() => all, OPTIONS);
      const plain = all.join('');
      const early = [bytesOf(body.read('gzip')), bytesOf(body.read('identity')), bytesOf(body.read('gzip'))] as const;
      expect(gunzipSync(await early[0]).toString()).toBe(plain);
      expect((await early[1]).toString()).toBe(plain);
      expect((await early[2]).equals(await early[0])).toBe(true);

      const whole = await body.read('gzip');
      expect([whole instanceof Uint8Array, body.length]).toEqual([true, (await early[0]).length]);
      expect((await bytesOf(body.read('gzip'))).equals(await early[0])).toBe(true);
      expect((await bytesOf(body.read('identity'))).toString()).toBe(plain);
    }),
    { numRuns: 30 },
  );
});

test('a body that nobody reads is not made', () => {
  const body = new EncodedBody(() => expect.unreachable(), OPTIONS);
  expect(body.length).toBeNull();
});

test('a complete body is the same bytes for every reader, also without compression', async () => {
  const body = new EncodedBody(() => ['text'], OPTIONS);
  await bytesOf(body.read('gzip'));
  expect(await body.read('gzip')).toBe(await body.read('gzip'));
  const [first, second] = await Promise.all([body.read('identity'), body.read('identity')]);
  expect(first).toBe(second);
  expect(await body.read('identity')).toBe(first);
});

test('unpacked bodies are kept up to a number of bytes, and a larger one is unpacked for each reader', async () => {
  const make = async (bytes: number) => {
    const body = new EncodedBody(() => [Buffer.alloc(bytes, 'x')], OPTIONS);
    await bytesOf(body.read('gzip'));
    return body;
  };
  const [first, second, third, large] = await Promise.all([make(3e6), make(3e6), make(3e6), make(9e6)]);
  const again = async (body: EncodedBody, before: unknown) => (await body.read('identity')) === before;
  const [kept, other] = [await first.read('identity'), await second.read('identity')];
  expect(await again(first, kept)).toBe(true); // Used last, so the second is the first to go.
  await third.read('identity');
  expect([await again(first, kept), await again(second, other)]).toEqual([true, false]);
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
  expect(body.length).toBeNull();
  expect((await bytesOf(body.read('identity'))).toString()).toBe('xy');
  expect(gunzipSync(await bytesOf(body.read('gzip'))).toString()).toBe('xy');
});
