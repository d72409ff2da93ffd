import { expect, test } from 'vitest';
import { openRequestLimit } from './request-limit.ts';

test('a limit of less than one request a second says how long to wait', () => {
  let now = 0;
  const limit = openRequestLimit(2, () => now);
  for (let i = 0; i < 2; i++) limit.count('a', {});
  expect(() => limit.count('a', {})).toThrow(expect.objectContaining({ retryAfter: 30 }));
  now = 12_500;
  expect(() => limit.count('a', {})).toThrow(expect.objectContaining({ retryAfter: 18 }));
});

test('without a limit nothing is said and nothing refused', () => {
  const [limit, headers] = [openRequestLimit(null), {}];
  for (let i = 0; i < 1_000; i++) limit.count('a', headers);
  expect(headers).toEqual({});
});
