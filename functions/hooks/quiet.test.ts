import { expect, test } from 'vitest';
import { quietAt } from './quiet.ts';

test.each([
  ['UTC', '22:00', '07:00', '2026-11-02T23:30:10Z', '2026-11-02T22:00', '2026-11-03T07:00'],
  ['UTC', '22:00', '07:00', '2026-11-03T06:59:59Z', '2026-11-02T22:00', '2026-11-03T07:00'],
  ['UTC', '22:00', '07:00', '2026-11-03T07:00:00Z', undefined, undefined],
  // The clock shows 02:00 to 03:00 twice on that day: inside, outside, and inside again.
  ['Europe/Berlin', '22:00', '02:30', '2026-10-25T00:10:00Z', '2026-10-24T20:00', '2026-10-25T00:30'],
  ['Europe/Berlin', '22:00', '02:30', '2026-10-25T00:40:00Z', undefined, undefined],
  ['Europe/Berlin', '22:00', '02:30', '2026-10-25T01:10:00Z', '2026-10-25T01:00', '2026-10-25T01:30'],
  // It does not show 02:00 to 03:00 on this one.
  ['Europe/Berlin', '22:00', '02:30', '2026-03-29T00:30:00Z', '2026-03-28T21:00', '2026-03-29T01:00'],
  ['Europe/Berlin', '02:10', '07:00', '2026-03-29T01:30:00Z', '2026-03-29T01:00', '2026-03-29T05:00'],
])('quiet hours begin and end by the clock: %s, %s to %s, at %s', (timeZone, from, to, at, since, until) => {
  const span = quietAt({ from, to }, timeZone, new Date(at));
  expect(span?.since.toISOString().slice(0, 16)).toBe(since);
  expect(span?.until.toISOString().slice(0, 16)).toBe(until);
});
