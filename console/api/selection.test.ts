import { expect, test } from 'vitest';
import { countedTags, isSelected } from './selection.ts';

const home = { id: 'home', tags: ['customers', 'north'] };

test.each([
  ['*', true],
  [['home'], true],
  [['tag:north'], true],
  [['cabin', 'tag:south'], false],
  // A site and a tag may have the same name.
  [['customers'], false],
  [['tag:home'], false],
  [[], false],
] as const)('%j selects home: %s', (selection, isIt) => expect(isSelected(selection, home)).toBe(isIt));

test('tags are counted, and are in order', () => {
  expect([...countedTags([home, { tags: ['customers'] }, { tags: [] }])]).toEqual([
    ['customers', 2],
    ['north', 1],
  ]);
});
