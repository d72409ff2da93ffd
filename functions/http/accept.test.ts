import { expect, test } from 'vitest';
import { acceptsMediaType, permitsMediaType } from './accept.ts';

const PROBLEM = 'application/problem+json';

test.each([
  [PROBLEM, true],
  ['application/json, application/problem+json', true],
  ['Application/Problem+JSON;q=0.5', true],
  ['text/html , application/problem+json ; charset=utf-8; q=0.001', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/*', false],
  ['application/json', false],
  ['application/problem+json;q=0', false],
  ['application/problem+json; Q=0.000', false],
  ['application/problem+jsonx', false],
])('%j lists problem details: %j', (header, expected) => {
  expect(acceptsMediaType(header, PROBLEM)).toBe(expected);
});

test.each([
  [undefined, true],
  ['', true],
  ['*/*', true],
  ['text/html, */*;q=0.1', true],
  ['application/*', true],
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['text/html', false],
  ['text/*', false],
  ['*/*;q=0', false],
  ['*/*, application/json;q=0', false],
  ['application/*;q=0, application/json', true],
])('%j permits JSON: %j', (header, expected) => {
  expect(permitsMediaType(header, 'application/json')).toBe(expected);
});
