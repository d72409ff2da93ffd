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
  expect(totalOf(monthlyCost(many, { Ingest: 0.5, Hooks: 0.25 }))).toBeLessThan(5);
});

test('what an agent acknowledges is billed, and a change is also a call of the hooks function and a row that is kept', () => {
  const use = dailyUse(100);
  expect(use.iotUnits).toBeGreaterThanOrEqual(4 * use.messages);
  const without = monthlyCost({ ...use, changes: 0, journalBytes: 0 }, { Ingest: 0.5, Hooks: 0.25 });
  const withThem = monthlyCost(use, { Ingest: 0.5, Hooks: 0.25 });
  expect(withThem.functions).toBeGreaterThan(without.functions);
  expect(withThem.database).toBeGreaterThan(without.database);
  expect(withThem.logs).toBeGreaterThan(0);
});
