import { expect, test } from 'vitest';
import { hoursBack, timeBack } from './time-back.ts';

const present = Date.parse('2026-11-26T12:00:00Z');

test.each([
  [30, null, 718],
  [90, '2020-01-01T00:00:00Z', 2_158],
  [30, '2026-11-26T08:30:00Z', 3],
  [30, '2026-11-26T11:59:00Z', 0],
])('%d days of a site that was added %s are %d hours', (days, since, hours) =>
  expect(hoursBack(days, present, since)).toBe(hours),
);

test('a time is a whole number of hours ago, and the present is none', () => {
  expect([timeBack(0, present), timeBack(3, present)]).toEqual([null, '2026-11-26T09:00:00.000Z']);
});
