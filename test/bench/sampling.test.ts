import { expect, test } from 'vitest';
import { inTurn, sampleOf } from './sampling.ts';

test('percentiles by nearest rank, whatever the order', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect(sampleOf(hundred)).toEqual({ p50: 50, p99: 99 });
  expect(sampleOf([3, 1, 2])).toEqual({ p50: 2, p99: 3 });
  expect(sampleOf([7])).toEqual({ p50: 7, p99: 7 });
  expect(() => sampleOf([])).toThrow(RangeError);
});

test('several subjects are measured in turn, and the warm-up does not count', async () => {
  const order: string[] = [];
  const samples = await inTurn(['a', 'b'], { warmUp: 1, count: 2 }, async (name, round) => {
    order.push(`${name}${round}`);
    return (name === 'a' ? 0 : 10) + round;
  });
  expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  expect(samples).toEqual([
    { p50: 1, p99: 2 },
    { p50: 11, p99: 12 },
  ]);
});
