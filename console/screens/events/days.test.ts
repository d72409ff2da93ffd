import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayOf } from '../changes/days.ts';
import { byDay, daysAgo, newSince } from './days.ts';
import type { SiteEvent } from './feed.ts';

function entry(at: string): SiteEvent {
  const event = { id: '1.0', at, recordedAt: at, type: 'new' as const, device: null, changes: {}, actor: 'home:main' };
  return { site: 'home', event: { ...event, cause: 'sighting' } };
}

test('every event is in its day, in the order in which it came', () => {
  const moments = fc.array(fc.date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true }));
  fc.assert(
    fc.property(moments, (dates) => {
      const entries = dates.sort((a, b) => b.getTime() - a.getTime()).map((date) => entry(date.toISOString()));
      const days = byDay(entries);
      expect(days.flatMap((day) => day.entries)).toEqual(entries);
      expect(new Set(days.map(({ key }) => key)).size).toBe(days.length);
      for (const { key, entries: own } of days) {
        for (const { event } of own) expect(dayOf(new Date(event.at))).toBe(key);
      }
    }),
  );
});

test('days are counted by the calendar, not by hours', () => {
  const now = new Date(2026, 9, 26, 0, 5); // After a night in which many zones end their summer time.
  expect(daysAgo(new Date(2026, 9, 26, 0, 1), now)).toBe(0);
  expect(daysAgo(new Date(2026, 9, 25, 23, 59), now)).toBe(1);
  expect(daysAgo(new Date(2026, 9, 24, 0, 0), now)).toBe(2);
});

test('events after the last seen one are new', () => {
  const entries = ['2026-11-01T10:00:00Z', '2026-11-01T09:00:00Z', '2026-11-01T08:00:00Z'].map(entry);
  expect(newSince(entries, '2026-11-01T09:00:00.000Z')).toBe(1);
  expect(newSince(entries, '2026-11-01T10:00:00.000Z')).toBe(0);
  expect(newSince(entries, '2026-10-01T00:00:00.000Z')).toBe(3);
  expect(newSince([], '2026-11-01T09:00:00.000Z')).toBe(0);
});
