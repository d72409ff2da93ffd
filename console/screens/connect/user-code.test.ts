import { expect, test } from 'vitest';
import { userCodeIn } from './user-code.ts';

test.each([
  ['BCDF-GHJK', 'BCDF-GHJK'],
  [' bcdf ghjk ', 'BCDF-GHJK'],
  ['bcdfghjk', 'BCDF-GHJK'],
  ['BCDF-GHJ', null],
  ['BCDF-GHJ1', null],
  ['', null],
])('%j is read as %j', (text, code) => expect(userCodeIn(text)).toBe(code));
