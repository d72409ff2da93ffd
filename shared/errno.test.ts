import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeOf } from './errno.ts';

test('the code of an error is its text, and empty where there is none', () => {
  let error: unknown;
  try {
    readFileSync('/no/such/file');
  } catch (thrown) {
    error = thrown;
  }
  expect(codeOf(error)).toBe('ENOENT');
  for (const other of [
    new Error('x'),
    Object.assign(new Error('x'), { code: 5 }),
    { code: 'ENOENT' },
    null,
    'ENOENT',
  ]) {
    expect(codeOf(other)).toBe('');
  }
});
