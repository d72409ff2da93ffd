import { expect, test } from 'vitest';
import { Kind } from '../../shared/recognition/kinds.ts';
import { KIND_LINES } from './kind-icon.tsx';

test('every kind has an icon of its own', () => {
  expect(Object.keys(KIND_LINES).toSorted()).toEqual(Kind.options.toSorted());
  expect(new Set(Object.values(KIND_LINES)).size).toBe(Kind.options.length);
});
