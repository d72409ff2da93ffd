import { expect, test } from 'vitest';
import { refusalHeaders } from './refusals.ts';

test('a page of the one origin may read a refusal, and when to come back', () => {
  expect(refusalHeaders(['https://dash.example.org'], 2)).toEqual({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Retry-After': '2',
    'Access-Control-Allow-Origin': 'https://dash.example.org',
    'Access-Control-Expose-Headers': 'Retry-After',
    Vary: 'Origin',
  });
});

test.each([['*'], ['https://a.example', 'https://b.example'], ['https://a.example', '*']])(
  'of %j, the gateway cannot choose',
  (...origins) => {
    expect(refusalHeaders(origins)).toMatchObject({ 'Access-Control-Allow-Origin': '*', Vary: 'Origin' });
  },
);

test('without origins no page may read anything, and credentials are never allowed', () => {
  expect(refusalHeaders([])).toEqual({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  for (const origins of [['*'], ['https://a.example'], ['https://a.example', 'https://b.example']]) {
    expect(refusalHeaders(origins)).not.toHaveProperty('Access-Control-Allow-Credentials');
  }
});
