import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Timing } from './agent/plan.ts';
import { faultOfCron, nextRun, nextStart, runsBetween, startOfRun } from './schedule-turns.ts';

const BERLIN = 'Europe/Berlin';
const DAY_MS = 86_400_000;
const SITE = { schedule: '5f0c2a9b1d34', site: 'home' };

function byCron(cron: string, timeZone = 'UTC', more: Partial<Timing> = {}) {
  return { timing: { cron, from: 1, jitterSeconds: 0, ...more }, timeZone };
}

function every(everySeconds: number, timeZone = 'UTC', more: Partial<Timing> = {}) {
  return { timing: { everySeconds, from: 1, jitterSeconds: 0, ...more }, timeZone };
}

const times = (turns: Parameters<typeof runsBetween>[0], after: string, upTo: string, most = 1_000) =>
  runsBetween(turns, Date.parse(after), Date.parse(upTo), most).map((turn) => new Date(turn).toISOString());

test('when the clock leaps over 02:30, the turn is at the first time after it, once on each day', () => {
  expect(times(byCron('30 2 * * *', BERLIN), '2026-03-28T00:00Z', '2026-03-31T00:00Z')).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('when the clock shows 02:30 twice, there is one turn', () => {
  for (const cron of ['30 2 * * *', '30 2,14 * * 0', '30 2-2 * * *'])
    expect(times(byCron(cron, BERLIN), '2026-10-24T23:00Z', '2026-10-25T12:00Z')).toEqual(['2026-10-25T00:30:00.000Z']);
});

const Zone = fc.constantFrom('UTC', BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');
const At = fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2030-01-01') });

test('a time of the day has one turn on each day, whatever the clock of the time zone does', () => {
  const Time = fc.record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) });
  fc.assert(
    fc.property(Time, Zone, At, ({ hour, minute }, zone, at) => {
      const found = runsBetween(byCron(`${minute} ${hour} * * *`, zone), at, at + 400 * DAY_MS, 1_000);
      const days = found.map((turn) => new Date(turn).toLocaleDateString('en', { timeZone: zone }));
      expect(new Set(days).size).toBe(days.length);
      expect(days.length).toBeGreaterThanOrEqual(399);
    }),
    { numRuns: 20 },
  );
});

test('turns by an interval are at its multiples, and none is left out', () => {
  fc.assert(
    fc.property(fc.integer({ min: 60, max: 31 * 86_400 }), Zone, At, (seconds, zone, at) => {
      const turn = nextRun(every(seconds, zone), at)!;
      expect(turn % (seconds * 1000)).toBe(0);
      expect(turn).toBeGreaterThan(at);
      expect(turn - at).toBeLessThanOrEqual(seconds * 1000);
    }),
  );
});

test('what is between two times is what comes after the first of them, again and again', () => {
  const Step = fc.constantFrom(every(900), every(90_000, BERLIN), byCron('*/20 1-5 * * 1-5', BERLIN));
  fc.assert(
    fc.property(Step, At, fc.integer({ min: 0, max: 3 * DAY_MS }), (turns, at, span) => {
      const found = runsBetween(turns, at, at + span, 1_000);
      const middle = at + Math.floor(span / 2);
      expect(found).toEqual([
        ...runsBetween(turns, at, middle, 1_000),
        ...runsBetween(turns, middle, at + span, 1_000),
      ]);
      expect(runsBetween(turns, at, at + span, 3)).toEqual(found.slice(-3));
    }),
    { numRuns: 50 },
  );
});

test('a window may lead over midnight, by the clock of the time zone', () => {
  const turns = every(3_600, BERLIN, { window: { from: '22:00', to: '02:00' } });
  expect(times(turns, '2026-01-10T12:00Z', '2026-01-11T12:00Z')).toEqual([
    '2026-01-10T21:00:00.000Z',
    '2026-01-10T22:00:00.000Z',
    '2026-01-10T23:00:00.000Z',
    '2026-01-11T00:00:00.000Z',
  ]);
  expect(nextRun(every(86_400, 'UTC', { window: { from: '09:00', to: '10:00' } }), 0)).toBeNull();
});

test('there are turns from a time on, and none from another on', () => {
  const limits = { from: Date.parse('2026-01-10T03:00Z'), until: Date.parse('2026-01-10T06:00Z') };
  const expected = ['03', '04', '05'].map((hour) => `2026-01-10T${hour}:00:00.000Z`);
  expect(times(every(3_600, 'UTC', limits), '2026-01-01T00:00Z', '2027-01-01T00:00Z')).toEqual(expected);
  expect(times(byCron('0 * * * *', 'UTC', limits), '2026-01-01T00:00Z', '2027-01-01T00:00Z')).toEqual(expected);
  expect(nextRun(byCron('0 0 30 2 *'), 0)).toBeNull();
});

test('a turn begins within its jitter and before the next one, always at the same time, elsewhere at another', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 7_200 }),
      fc.integer({ min: 0, max: 86_400 }),
      At,
      (seconds, jitterSeconds, at) => {
        const turns = every(seconds, 'UTC', { jitterSeconds });
        const turn = nextRun(turns, at)!;
        const begin = startOfRun(turns, SITE, turn);
        expect(begin).toBe(startOfRun(turns, { ...SITE }, turn));
        expect(begin - turn).toBeGreaterThanOrEqual(0);
        expect(begin - turn).toBeLessThanOrEqual(Math.min(jitterSeconds, seconds) * 1000);
        expect(nextStart(turns, SITE, begin - 1)).toBe(begin);
        expect(nextStart(turns, SITE, begin)).toBe(startOfRun(turns, SITE, turn + seconds * 1000));
      },
    ),
    { numRuns: 50 },
  );
  const turns = every(86_400, 'UTC', { jitterSeconds: 600 });
  const begins = Array.from({ length: 600 }, (_, i) => startOfRun(turns, { ...SITE, site: `site-${i}` }, DAY_MS));
  const minutes = new Set(begins.map((begin) => Math.floor((begin - DAY_MS) / 60_000)));
  expect(minutes.size).toBe(10);
});

test('cron expressions that are none, fit no time or come too often are refused', () => {
  for (const cron of ['0 2 * * *', '*/5 * * * *', '0 0 L * *', '0 0 29 2 *', '7,37 8-18 * * MON-FRI'])
    expect(faultOfCron(cron)).toBeNull();
  expect(faultOfCron('61 * * * *')).toMatch(/minute: 61/);
  expect(faultOfCron('0 0 30 2 *')).toMatch(/some time/);
  for (const cron of ['* * * * *', '*/4 * * * *', '0,1 2 * * *', '58,2 * * * *'])
    expect(faultOfCron(cron)).toMatch(/five minutes/);
});
