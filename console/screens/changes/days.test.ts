import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginOfDay, dayOf, daysBefore, lastFriday } from './days.ts';

test('the last Friday is a Friday, and 1 to 7 days ago', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }), (now) => {
      const friday = lastFriday(now);
      expect(new Date(beginOfDay(friday) ?? '').getDay()).toBe(5);
      expect(Array.from({ length: 7 }, (_, i) => daysBefore(now, i + 1))).toContain(friday);
    }),
  );
});

test('a day begins at midnight by the clock of the viewer, and ends with the next one', () => {
  const begin = new Date(beginOfDay('2026-11-01') ?? '');
  expect([begin.getHours(), dayOf(begin)]).toEqual([0, '2026-11-01']);
  expect(dayOf(new Date(beginOfDay('2026-11-30', 1) ?? ''))).toBe('2026-12-01');
  for (const text of ['', 'yesterday', '2026-1-1', '2026-11-01T00:00:00Z']) expect(beginOfDay(text)).toBeNull();
});
