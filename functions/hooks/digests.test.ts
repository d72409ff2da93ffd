import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Digest } from '../../shared/schedule-terms.ts';
import { dueSpan } from './digests.ts';

const DAILY: Digest = { every: 'day', at: '08:00' };
const MONDAYS: Digest = { every: 'week', weekday: 'monday', at: '08:00' };

function due(at: Digest, times: { from: string; digestedAt?: string; now: string }, zone = 'UTC'): string[] | null {
  const digestedAt = times.digestedAt === undefined ? null : Date.parse(times.digestedAt);
  const hook = { enabled: true, problem: null, digest: { at, from: times.from }, digestedAt };
  const span = dueSpan(hook, zone, new Date(times.now));
  return span && [span.since.toISOString().slice(0, 16), span.until.toISOString().slice(0, 16)];
}

test('a digest tells of what has changed since the last one, or since it is wanted', () => {
  const from = '2026-11-01T12:30:00.000Z'; // A Sunday.
  expect(due(DAILY, { from, now: '2026-11-02T07:59:00Z' })).toBeNull();
  expect(due(DAILY, { from, now: '2026-11-02T08:40:00Z' })).toEqual(['2026-11-01T12:30', '2026-11-02T08:00']);
  const digestedAt = '2026-11-02T08:00:00Z';
  expect(due(DAILY, { from, digestedAt, now: '2026-11-02T23:00:00Z' })).toBeNull();
  expect(due(DAILY, { from, digestedAt, now: '2026-11-03T08:00:00Z' })).toEqual([
    '2026-11-02T08:00',
    '2026-11-03T08:00',
  ]);
  // The service was down for some days: one digest covers all of them.
  expect(due(DAILY, { from, digestedAt, now: '2026-11-20T09:00:00Z' })).toEqual([
    '2026-11-02T08:00',
    '2026-11-20T08:00',
  ]);
  expect(due(MONDAYS, { from, digestedAt, now: '2026-11-09T07:00:00Z' })).toBeNull();
  expect(due(MONDAYS, { from, digestedAt, now: '2026-11-10T07:00:00Z' })).toEqual([
    '2026-11-02T08:00',
    '2026-11-09T08:00',
  ]);
  // Enabled again: what happened while it was disabled is left out.
  const again = '2026-11-03T07:00:00.000Z';
  expect(due(DAILY, { from: again, digestedAt, now: '2026-11-03T09:00:00Z' })).toEqual([
    '2026-11-03T07:00',
    '2026-11-03T08:00',
  ]);
});

test('its time is that of the clock of the site, in summer and in winter', () => {
  const from = '2026-10-20T12:00:00.000Z';
  const berlin = (digestedAt: string, now: string) => due(DAILY, { from, digestedAt, now }, 'Europe/Berlin')?.[1];
  expect(berlin('2026-10-23T06:00:00Z', '2026-10-24T12:00:00Z')).toBe('2026-10-24T06:00');
  expect(berlin('2026-10-24T06:00:00Z', '2026-10-25T12:00:00Z')).toBe('2026-10-25T07:00');
  // 02:30 is there twice on that day.
  const early: Digest = { every: 'day', at: '02:30' };
  const spans: string[] = [];
  let digestedAt = '2026-10-24T12:00:00Z';
  for (let hour = 0; hour < 36; hour++) {
    const now = new Date(Date.UTC(2026, 9, 24, 13 + hour)).toISOString();
    const until = due(early, { from, digestedAt, now }, 'Europe/Berlin')?.[1];
    if (until === undefined) continue;
    spans.push(until);
    digestedAt = `${until}:00Z`;
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
