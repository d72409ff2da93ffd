import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GIVE_UP_AFTER_MS, nextAttempt, pauseMs, retryAfterMs } from './retry-schedule.ts';

const SINCE = new Date(1_790_000_000_000);

test('attempts lie ahead, at most two hours, and end within a day of the first', () => {
  const Attempts = fc.integer({ min: 1, max: 200 });
  const Elapsed = fc.integer({ min: 0, max: GIVE_UP_AFTER_MS });
  const RetryAfter = fc.option(fc.integer({ min: 0, max: 1e12 }));
  fc.assert(
    fc.property(Attempts, Elapsed, RetryAfter, (attempts, elapsed, retryAfter) => {
      const now = new Date(SINCE.getTime() + elapsed);
      const at = nextAttempt({ attempts, since: SINCE }, now, retryAfter);
      if (at === null) {
        expect(elapsed).toBeGreaterThan(GIVE_UP_AFTER_MS - 2 * 3_600_000 - 1);
        return;
      }
      expect(at.getTime() - now.getTime()).toBeGreaterThanOrEqual(1_000);
      expect(at.getTime() - now.getTime()).toBeLessThanOrEqual(2 * 3_600_000);
      expect(at.getTime() - SINCE.getTime()).toBeLessThanOrEqual(GIVE_UP_AFTER_MS);
      if (retryAfter !== null && retryAfter <= 7_200_000) {
        expect(at.getTime() - now.getTime()).toBeGreaterThanOrEqual(retryAfter);
      }
    }),
  );
});

test('a receiver is left alone for a quarter of the time that it has failed, or as long as it asks for, within limits', () => {
  const Failed = fc.integer({ min: -1_000, max: GIVE_UP_AFTER_MS });
  const RetryAfter = fc.option(fc.integer({ min: 0, max: 1e12 }));
  fc.assert(
    fc.property(Failed, RetryAfter, (failedMs, retryAfter) => {
      const now = new Date(SINCE.getTime() + failedMs);
      const share = Math.min(Math.max(failedMs / 4, 1_000), 900_000);
      expect(pauseMs(SINCE, now, retryAfter)).toBe(Math.max(share, Math.min(retryAfter ?? 0, 7_200_000)));
    }),
  );
});

test.each([
  [undefined, null],
  ['120', 120_000],
  ['0', 0],
  ['Mon, 21 Sep 2026 14:14:20 GMT', 60_000],
  ['Mon, 21 Sep 2020 14:14:20 GMT', 0],
  ['soon', null],
])('Retry-After: %s', (header, expected) => {
  expect(retryAfterMs(header, new Date('2026-09-21T14:13:20Z'))).toBe(expected);
});
