import { expect, test } from 'vitest';
import { repeat, repeatInTurn, sampleOf } from './sampling.ts';

test('percentiles by nearest rank, whatever the order', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect(sampleOf(hundred)).toEqual({ p50: 50, p99: 99, count: 100 });
  expect(sampleOf([3, 1, 2])).toEqual({ p50: 2, p99: 3, count: 3 });
  expect(sampleOf([7])).toEqual({ p50: 7, p99: 7, count: 1 });
  expect(() => sampleOf([])).toThrow(RangeError);
});

test('rounds of the warm-up do not count', async () => {
  const rounds: number[] = [];
  const sample = await repeat({ warmUp: 2, count: 3 }, async (round) => {
    rounds.push(round);
    return round;
  });
  expect(rounds).toEqual([0, 1, 2, 3, 4]);
  expect(sample).toEqual({ p50: 3, p99: 4, count: 3 });
});

test('several things are measured in turn', async () => {
  const order: string[] = [];
  const measure = (name: string, value: number) => async (round: number) => {
    order.push(`${name}${round}`);
    return value + round;
  };
  const samples = await repeatInTurn({ warmUp: 1, count: 2 }, { a: measure('a', 0), b: measure('b', 10) });
  expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  expect(samples).toEqual({ a: { p50: 1, p99: 2, count: 2 }, b: { p50: 11, p99: 12, count: 2 } });
});
