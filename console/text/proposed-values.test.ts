import { expect, test } from 'vitest';
import { Kind } from '../../shared/recognition/kinds.ts';
import { proposedTypes } from './proposed-values.ts';

test('the known kinds and the types of the site are proposed, each once', () => {
  const values = ['', 'nas', 'NAS', 'Aquarium'].map((value) => ({ value, count: 1 }));
  const types = proposedTypes({ values, truncated: false });
  expect(types).toHaveLength(Kind.options.length + 1);
  expect(types.slice(0, 3)).toEqual(['AP', 'Aquarium', 'Camera']);
  expect(types.filter((type) => type.toLowerCase() === 'nas')).toEqual(['NAS']);
});
