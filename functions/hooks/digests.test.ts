import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Digest } from '../../shared/schedule-terms.ts';
import { dueSpan } from './digests.ts';

const DAILY: Digest = { every: 'day', at: '08:00' };
const MONDAYS: Digest = { every: 'week', weekday: 'monday', at: '08:00' };

function due(at: Digest, times: { from: string; digestedAt: string | undefined; now: string }, zone = 'UTC') {
  const digestedAt = times.digestedAt === undefined ? null : Date.parse(`${times.digestedAt}Z`);
  const hook = { enabled: true, problem: null, digest: { at, from: `${times.from}Z` }, digestedAt };
  const span = dueSpan(hook, zone, new Date(`${times.now}Z`));
  return span && [span.since.toISOString().slice(0, 16), span.until.toISOString().slice(0, 16)];
}

const FROM = '2026-11-01T12:30'; // A Sunday.
const LAST = '2026-11-02T08:00';

test.each<[Digest, string, string | undefined, string, string[] | null]>([
  [DAILY, FROM, undefined, '2026-11-02T07:59', null],
  [DAILY, FROM, undefined, '2026-11-02T08:40', [FROM, LAST]],
  [DAILY, FROM, LAST, '2026-11-02T23:00', null],
  [DAILY, FROM, LAST, '2026-11-03T08:00', [LAST, '2026-11-03T08:00']],
  // The service was down for some days: one digest covers all of them.
  [DAILY, FROM, LAST, '2026-11-20T09:00', [LAST, '2026-11-20T08:00']],
  [MONDAYS, FROM, LAST, '2026-11-09T07:00', null],
  [MONDAYS, FROM, LAST, '2026-11-10T07:00', [LAST, '2026-11-09T08:00']],
  // Enabled again: what happened while it was disabled is left out.
  [DAILY, '2026-11-03T07:00', LAST, '2026-11-03T09:00', ['2026-11-03T07:00', '2026-11-03T08:00']],
])('a digest tells of what has changed since the last, or since it is wanted: %j from %s, %s, at %s', (...given) => {
  const [at, from, digestedAt, now, expected] = given;
  expect(due(at, { from, digestedAt, now })).toEqual(expected);
});

test('its time is that of the clock of the site, in summer and in winter', () => {
  const from = '2026-10-20T12:00';
  const berlin = (digestedAt: string, now: string) => due(DAILY, { from, digestedAt, now }, 'Europe/Berlin')?.[1];
  expect(berlin('2026-10-23T06:00', '2026-10-24T12:00')).toBe('2026-10-24T06:00');
  expect(berlin('2026-10-24T06:00', '2026-10-25T12:00')).toBe('2026-10-25T07:00');
  // 02:30 is there twice on that day.
  const early: Digest = { every: 'day', at: '02:30' };
  const spans: string[] = [];
  let digestedAt = '2026-10-24T12:00';
  for (let hour = 0; hour < 36; hour++) {
    const now = new Date(Date.UTC(2026, 9, 24, 13 + hour)).toISOString().slice(0, 16);
    const until = due(early, { from, digestedAt, now }, 'Europe/Berlin')?.[1];
    if (until === undefined) continue;
    spans.push(until);
    digestedAt = until;
  }
  expect(spans).toHaveLength(1);
});

test('checked every hour, each day is in one digest, without a gap', () => {
  const Zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia');
  const Clock = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((n) => String(n).padStart(2, '0')).join(':'));
  fc.assert(
    fc.property(Zone, Clock, fc.integer({ min: 0, max: 365 * 24 }), (zone, at, startHour) => {
      const start = new Date(Date.UTC(2026, 0, 1, startHour));
      const digest = { at: { every: 'day', at } as const, from: start.toISOString() };
      let digestedAt: Date | null = null;
      let sent = 0;
      for (let hour = 1; hour <= 10 * 24; hour++) {
        const now = new Date(start.getTime() + hour * 3_600_000);
        const since: number | null = digestedAt && Number(digestedAt);
        const span = dueSpan({ enabled: true, problem: null, digest, digestedAt: since }, zone, now);
        if (span === null) continue;
        expect(span.since).toEqual(digestedAt ?? start);
        expect(now.getTime() - span.until.getTime()).toBeLessThan(3_600_000);
        digestedAt = span.until;
        sent++;
      }
      expect(sent).toBeGreaterThanOrEqual(9);
      expect(sent).toBeLessThanOrEqual(11);
    }),
    { numRuns: 40 },
  );
});

test('a hook that is disabled, or has no digest, has none', () => {
  const digest = { at: DAILY, from: '2026-11-01T00:00:00.000Z' };
  const now = new Date('2026-11-05T12:00:00Z');
  const hook = { enabled: true, problem: null, digest, digestedAt: null };
  expect(dueSpan(hook, 'UTC', now)).not.toBeNull();
  expect(dueSpan({ ...hook, enabled: false }, 'UTC', now)).toBeNull();
  expect(dueSpan({ ...hook, problem: 'gone' }, 'UTC', now)).toBeNull();
  expect(dueSpan({ ...hook, digest: undefined }, 'UTC', now)).toBeNull();
});
