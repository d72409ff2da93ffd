import { expect, test } from 'vitest';
import { minutesBack, stepOf, timeBack } from './time-back.ts';

const present = Date.parse('2026-11-26T12:00:00Z');

test.each([
  [30, null, 43_080, 60],
  [90, '2020-01-01T00:00:00Z', 129_480, 60],
  [30, '2026-11-26T06:30:00Z', 330, 5],
  [30, '2026-11-26T11:30:00Z', 30, 1],
  [30, '2026-11-26T12:00:01Z', 0, 1],
])('%d days of a site that was added %s are %d minutes', (days, since, minutes, step) => {
  expect(minutesBack(days, present, since)).toBe(minutes);
  expect(stepOf(minutes)).toBe(step);
});

test('a time is a whole number of minutes ago, and the present is none', () => {
  expect([timeBack(0, present), timeBack(180, present)]).toEqual([null, '2026-11-26T09:00:00.000Z']);
});
