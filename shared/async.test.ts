import { expect, test } from 'vitest';
import { backOffMs, deadline, deferred } from './async.ts';

test('a deadline gives what the promise gives, or fails as it fails', async () => {
  expect(await deadline(Promise.resolve(1), 60_000, () => null)).toBe(1);
  await expect(deadline(Promise.reject(new Error('no')), 60_000, () => null)).rejects.toThrow('no');
});

test('when the time is up, a deadline gives what `late` returns, or fails with what it throws', async () => {
  const never = deferred<never>().promise;
  expect(await deadline(never, 1, () => 'late')).toBe('late');
  const late = () => {
    throw new RangeError('no answer');
  };
  await expect(deadline(never, 1, late)).rejects.toThrow(RangeError);
});

test('a promise that fails after its deadline is no unhandled rejection', async () => {
  const { promise, reject } = deferred<void>();
  await deadline(promise, 1, () => null);
  reject(new Error('too late'));
  await new Promise(setImmediate); // Node.js reports unhandled rejections before this, and vitest fails on them.
});

test('a back-off doubles up to its bound, and is never less than the part that it must be', () => {
  const times = (attempt: number, least: 0 | 0.5) =>
    Array.from({ length: 200 }, () => backOffMs(attempt, { firstMs: 100, longestMs: 1_000, least }));
  for (const [attempt, bound] of [100, 200, 400, 800, 1_000, 1_000].entries()) {
    expect(Math.max(...times(attempt, 0))).toBeLessThanOrEqual(bound);
    expect(Math.min(...times(attempt, 0.5))).toBeGreaterThanOrEqual(bound / 2);
  }
});
