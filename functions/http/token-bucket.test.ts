import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBuckets } from './token-bucket.ts';

/** Whole milliseconds and a power of two, so that a model in whole numbers gives the same. */
const REFILL_MS = 64;
const limits = fc.record({ capacity: fc.integer({ min: 1, max: 20 }), maxKeys: fc.constant(100) });
const steps = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 500 }), key: fc.constantFrom('a', 'b', 'c') }), {
  maxLength: 100,
});

test('a bucket gives what a bucket has that is filled millisecond by millisecond', () => {
  fc.assert(
    fc.property(limits, steps, ({ capacity, maxKeys }, taken) => {
      let time = 0;
      const buckets = new TokenBuckets({ capacity, refillMs: REFILL_MS, maxKeys }, () => time);
      const model = new Map<string, number>(); // Parts of a token, 64 to each.
      for (const { afterMs, key } of taken) {
        time += afterMs;
        for (const [other, parts] of model) model.set(other, Math.min(capacity * REFILL_MS, parts + afterMs));
        const parts = model.get(key) ?? capacity * REFILL_MS;
        expect(buckets.waitMs(key)).toBe(Math.max(0, REFILL_MS - parts));
        expect(buckets.take(key)).toBe(parts >= REFILL_MS);
        if (parts >= REFILL_MS) model.set(key, parts - REFILL_MS);
      }
    }),
  );
});

test('the number of buckets is bounded; those that were used longest ago go first', () => {
  const buckets = new TokenBuckets({ capacity: 1, refillMs: 1e9, maxKeys: 3 }, () => 0);
  for (const key of ['a', 'b', 'c', 'd']) expect(buckets.take(key)).toBe(true);
  expect(buckets.size).toBe(3);
  expect(['b', 'c', 'd'].map((key) => buckets.take(key))).toEqual([false, false, false]);
  expect(buckets.take('a')).toBe(true);
  for (let i = 0; i < 10_000; i++) buckets.take(`key ${i}`);
  expect(buckets.size).toBe(3);
});
