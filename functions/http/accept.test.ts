import { expect, test } from 'vitest';
import { acceptsMediaType, permitsMediaType } from './accept.ts';

const PROBLEM = 'application/problem+json';

test.each([
  [PROBLEM],
  ['application/json, application/problem+json'],
  ['Application/Problem+JSON;q=0.5'],
  ['text/html , application/problem+json ; charset=utf-8; q=0.001'],
])('%s lists it', (header) => {
  expect(acceptsMediaType(header, PROBLEM)).toBe(true);
});

test.each([
  [undefined],
  [''],
  ['*/*'],
  ['application/*'],
  ['application/json'],
  ['application/problem+json;q=0'],
  ['application/problem+json; Q=0.000'],
  ['application/problem+jsonx'],
])('%s does not', (header) => {
  expect(acceptsMediaType(header, PROBLEM)).toBe(false);
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
