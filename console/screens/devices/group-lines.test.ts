import { expect, test } from 'vitest';
import type { Device } from './device.ts';
import { linesOf } from './group-lines.ts';

const device = (devName: string, devType: string) => ({ devName, devType }) as Device;
const ROWS = [device('one', 'Camera'), device('two', 'Camera'), device('three', 'Phone'), device('four', '')];
const GROUPS = [
  { value: 'Camera', count: 5 },
  { value: 'Phone', count: 1 },
];

test('a heading stands above the first device of each group, with how many fit', () => {
  const { shown, lines } = linesOf(ROWS, 'type', GROUPS, new Set());
  expect(shown).toEqual(ROWS);
  expect(lines).toEqual([
    { group: 'Camera', count: 5, isCollapsed: false },
    ...[0, 1],
    { group: 'Phone', count: 1, isCollapsed: false },
    2,
    { group: '', count: null, isCollapsed: false },
    3,
  ]);
});

test('a collapsed group keeps its heading, and the places of the others close up', () => {
  const { shown, lines } = linesOf(ROWS, 'type', GROUPS, new Set(['Camera']));
  expect(shown.map(({ devName }) => devName)).toEqual(['three', 'four']);
  expect(lines?.filter((line) => typeof line === 'number')).toEqual([0, 1]);
  expect(lines?.[0]).toEqual({ group: 'Camera', count: 5, isCollapsed: true });
});

test('new devices stand on top, and without any there are no headings', () => {
  const fresh = { ...device('fresh', ''), devIsNew: 1 as const };
  const { lines } = linesOf([fresh, ...ROWS], 'new', [{ value: 'new', count: 1 }], new Set());
  expect(lines?.filter((line) => typeof line === 'object').map(({ group }) => group)).toEqual(['new', '']);
  expect(linesOf(ROWS, 'new', [], new Set())).toEqual({ shown: ROWS, lines: null });
});
