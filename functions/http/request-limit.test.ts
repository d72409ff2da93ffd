import { expect, test } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import { openRequestLimit } from './request-limit.ts';

function open(perMinute: number | null) {
  const clock = { now: 0 };
  const limit = openRequestLimit(perMinute, () => clock.now);
  /** What an answer to a request of this token would say. */
  function ask(token = 'a') {
    const headers: Record<string, string> = {};
    try {
      limit.count(token, headers);
      return { headers, refused: null };
    } catch (error) {
      return { headers, refused: error };
    }
  }
  return { clock, ask };
}

test('a token may make a minute of requests at once, and then as many as come back', () => {
  const { clock, ask } = open(60);
  for (let left = 59; left >= 0; left--) {
    expect(ask()).toEqual({
      headers: { 'RateLimit-Policy': '"default";q=60;w=60', RateLimit: `"default";r=${left};t=${60 - left}` },
      refused: null,
    });
  }
  const { headers, refused } = ask();
  expect(headers.RateLimit).toBe('"default";r=0;t=60');
  expect(refused).toBeInstanceOf(ServiceError);
  expect(refused).toMatchObject({
    code: 'too_many_requests',
    message: 'The token has made more than 60 requests in a minute; try again in 1 s, and more slowly',
    retryAfter: 1,
  });
  clock.now = 999;
  expect(ask().refused).not.toBeNull();
  clock.now = 1_000;
  expect(ask().refused).toBeNull();
  expect(ask().refused).not.toBeNull();
  expect(ask('b').headers.RateLimit).toBe('"default";r=59;t=1');
  clock.now = 600_000;
  expect(ask().headers.RateLimit).toBe('"default";r=59;t=1');
});

test('a limit of less than one request a second says how long to wait', () => {
  const { clock, ask } = open(2);
  expect([ask(), ask()].map(({ refused }) => refused)).toEqual([null, null]);
  expect(ask().refused).toMatchObject({ retryAfter: 30 });
  clock.now = 12_500;
  expect(ask().refused).toMatchObject({ retryAfter: 18 });
});

test('without a limit nothing is said and nothing refused', () => {
  const { ask } = open(null);
  for (let i = 0; i < 1_000; i++) expect(ask()).toEqual({ headers: {}, refused: null });
});
