import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterSeconds } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 1, 8, 15);

test.each([
  [null, null],
  ['', null],
  ['soon', null],
  ['2', 2],
  ['86400', 300],
  ['Sun, 01 Nov 2026 08:15:30 GMT', 30],
  ['Sun, 01 Nov 2026 08:14:30 GMT', 0],
])('Retry-After: %j is %j seconds', (header, seconds) => expect(retryAfterSeconds(header, NOW)).toBe(seconds));

test('whatever the header says, the wait is a number of seconds that a person can sit through', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.date().map(String)), (header) => {
      const seconds = retryAfterSeconds(header, NOW);
      if (seconds === null) return;
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThanOrEqual(300);
    }),
  );
});
