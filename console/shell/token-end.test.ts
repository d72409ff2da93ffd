import { expect, test } from 'vitest';
import { minutesToWarnOf } from './token-end.ts';

const NOW = Date.UTC(2026, 10, 1, 12);
const at = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString();

test.each([
  ['one that never ends', at(-1000), null, null],
  ['one for eight hours, with an hour left', at(-7), at(1), null],
  ['one for eight hours, with half an hour left', at(-7.5), at(0.5), 30],
  ['one for ninety days, with two days left', at(-88 * 24), at(48), null],
  ['one for ninety days, with 23 hours left', at(-89 * 24), at(23), 1380],
  ['one that has ended', at(-10), at(-1), 0],
])('%s', (_, createdAt, expiresAt, minutes) =>
  expect(minutesToWarnOf({ createdAt, expiresAt, isSession: false }, NOW)).toBe(minutes),
);

test.each([
  ['of twelve hours, with half an hour left', at(-11.5), at(0.5), null],
  ['of twelve hours, with six minutes left', at(-11.9), at(0.1), 6],
])('a session %s', (_, createdAt, expiresAt, minutes) =>
  expect(minutesToWarnOf({ createdAt, expiresAt, isSession: true }, NOW)).toBe(minutes),
);
