import { expect, test } from 'vitest';
import { relativeTime } from './relative-time.ts';

const now = Date.parse('2026-11-26T12:00:00Z');

test.each([
  ['2026-11-26T11:59:58Z', 'now'],
  ['2026-11-26T11:59:20Z', '40s ago'],
  ['2026-11-26T11:56:30Z', '3m ago'],
  ['2026-11-25T13:00:00Z', '23h ago'],
  ['2026-11-24T11:00:00Z', '2d ago'],
  ['2026-11-26T17:30:00Z', 'in 5h'],
  ['2026-08-01T12:00:00Z', '2026-08-01'],
  ['someday', 'someday'],
])('%s is %s', (at, text) => {
  expect(relativeTime(at, now)).toBe(text);
});
