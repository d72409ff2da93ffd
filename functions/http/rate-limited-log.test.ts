import { expect, test } from 'vitest';
import { rateLimitedWarnings } from './rate-limited-log.ts';

function open() {
  const clock = { now: 0 };
  const lines: unknown[] = [];
  const warn = rateLimitedWarnings({ warn: (fields, message) => lines.push({ ...fields, message }) }, () => clock.now);
  return { clock, lines, warn };
}

test('a warning about one sender is written once a minute, and then says how many were left out', () => {
  const { clock, lines, warn } = open();
  for (clock.now = 0; clock.now < 60_000; clock.now += 100) warn('a', { jobId: clock.now }, 'refused');
  expect(lines).toEqual([{ jobId: 0, message: 'refused' }]);
  clock.now = 60_000;
  warn('a', {}, 'refused');
  clock.now = 200_000;
  warn('a', {}, 'refused');
  expect(lines.slice(1)).toEqual([{ leftOut: 599, message: 'refused' }, { message: 'refused' }]);
});

test('other senders, and other warnings, are not left out', () => {
  const { lines, warn } = open();
  for (let i = 0; i < 3; i++) {
    warn('a', {}, 'refused');
    warn('b', {}, 'refused');
    warn('a', {}, 'unreadable');
  }
  expect(lines).toHaveLength(3);
});
