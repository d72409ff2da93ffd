import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeFrom } from './option-values.ts';

const NOW = new Date(2026, 10, 3, 12, 30);

test('since is how long ago, a day, or a moment', () => {
  const local = (...parts: [number, number, number]) => new Date(...parts).toISOString();
  expect(timeFrom('2d', NOW)).toBe(new Date(NOW.getTime() - 2 * 86_400_000).toISOString());
  expect(timeFrom('90m', NOW)).toBe(new Date(NOW.getTime() - 90 * 60_000).toISOString());
  expect(timeFrom('1w', NOW)).toBe(timeFrom('7d', NOW));
  expect(timeFrom('today', NOW)).toBe(local(2026, 10, 3));
  expect(timeFrom('yesterday', NOW)).toBe(local(2026, 10, 2));
  expect(timeFrom('2026-11-01', NOW)).toBe(local(2026, 10, 1));
  expect(timeFrom('2026-11-01T08:15:00+01:00', NOW)).toBe('2026-11-01T07:15:00.000Z');
});

test('a weekday is the last one before today', () => {
  expect(timeFrom('monday', NOW)).toBe(timeFrom('yesterday', NOW)); // The 3rd of November 2026 is a Tuesday.
  expect(timeFrom('friday', NOW)).toBe(timeFrom('2026-10-30', NOW));
  expect(timeFrom('wednesday', NOW)).toBe(timeFrom('2026-10-28', NOW));
  expect(timeFrom('tuesday', NOW)).toBe(timeFrom('2026-10-27', NOW));
});

test.each(['2x', 'fri', '2026-02-31', '2026-13-01', '2026-11-01 08:15', '-1d', '', '1'])(
  '%j is no time, and the complaint says what is one',
  (text) => {
    expect(() => timeFrom(text, NOW)).toThrow('Expected 2d, yesterday, friday, 2026-11-01 or 2026-11-01T08:15:00Z.');
  },
);

test('every moment means itself', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(Date.UTC(9999, 11, 31)) }), (date) => {
      expect(timeFrom(date.toISOString())).toBe(date.toISOString());
    }),
  );
});
