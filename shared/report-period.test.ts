import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsOf, lastPeriod, parsePeriod, periodTitle } from './report-period.ts';

const bounds = (text: string, zone: string) => {
  const period = parsePeriod(text);
  if (period === null) throw new Error(text);
  const { since, until } = boundsOf(period, zone);
  return [since.toISOString(), until.toISOString()];
};

test('a month and a week last from midnight to midnight by the clock of the zone', () => {
  expect(bounds('2026-10', 'Europe/Berlin')).toEqual(['2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z']);
  expect(bounds('2026-W44', 'Europe/Berlin')).toEqual(['2026-10-25T23:00:00.000Z', '2026-11-01T23:00:00.000Z']);
  expect(bounds('2026-12', 'Asia/Kolkata')).toEqual(['2026-11-30T18:30:00.000Z', '2026-12-31T18:30:00.000Z']);
  expect(bounds('2027-W01', 'UTC')).toEqual(['2027-01-04T00:00:00.000Z', '2027-01-11T00:00:00.000Z']);
});

test.each(['2026-13', '2026-00', '2026-1', '2026-W00', '2025-W53', '2026-W54', '26-10', '2026-10-01', ''])(
  '%j is no period',
  (text) => expect(parsePeriod(text)).toBeNull(),
);

test('the last complete one is that before the day of the zone, and its text leads back to it', () => {
  const now = new Date('2026-11-01T23:30:00Z'); // Monday in Berlin, still Sunday in London.
  expect(lastPeriod('week', 'Europe/Berlin', now).text).toBe('2026-W44');
  expect(lastPeriod('week', 'Europe/London', now).text).toBe('2026-W43');
  expect(lastPeriod('month', 'UTC', new Date('2027-01-01T00:00:00Z')).text).toBe('2026-12');
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2001-01-01'), max: new Date('2098-01-01'), noInvalidDate: true }),
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Asia/Beirut'),
      fc.constantFrom('week' as const, 'month' as const),
      (at, zone, every) => {
        const period = lastPeriod(every, zone, at);
        expect(parsePeriod(period.text)).toEqual(period);
        const { since, until } = boundsOf(period, zone);
        expect(since.getTime()).toBeLessThan(until.getTime());
        expect(until.getTime()).toBeLessThanOrEqual(at.getTime());
        expect(at.getTime() - until.getTime()).toBeLessThan(32 * 86_400_000);
      },
    ),
    { numRuns: 300 },
  );
});

test('titles name the days in the language', () => {
  expect(periodTitle(parsePeriod('2026-10')!, 'de')).toBe('Oktober 2026');
  expect(periodTitle(parsePeriod('2026-W44')!, 'de').replace(/\s/gu, ' ')).toBe('26. Oktober – 1. November 2026');
});
