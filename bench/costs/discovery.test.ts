import { expect, test } from 'vitest';
import { dailyUse, monthlyCost } from './discovery.ts';
import { totalOf } from './month.ts';

test('a site whose devices never change costs a digest a day, and no write', () => {
  expect(dailyUse(1_000, 0)).toMatchObject({ messages: 3, invocations: 3, writes: 0 });
});

test('messages are bounded by the cycles, and writes follow the transitions', () => {
  const [few, many] = [dailyUse(100), dailyUse(10_000)];
  expect(few.messages).toBeLessThan(5 * 100);
  expect(many.messages).toBeLessThanOrEqual(2 * 24 * 60 + 25);
  expect(few.writes).toBeGreaterThan(500);
  expect(many.writes).toBeGreaterThan(50_000);
  expect(totalOf(monthlyCost(many, 0.5))).toBeLessThan(5);
});
