import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../../shared/device.ts';

import { leavesView, toggledFlag } from './edit-in-view.ts';
import { EMPTY_GRID, moveTo, without } from './grid-state.ts';
import { changedFields, draftOf } from './use-row-edit.ts';
import { parseView } from './view.ts';

const WATCHED = { state: 'watched', since: null } as const;
const device = { ...BLANK_DEVICE, watch: WATCHED, key: 'a', devName: 'nas', devType: 'NAS' };

test('a row edit has only the fields that differ from the values with which it began', () => {
  const first = draftOf(device);
  expect(changedFields(first, first)).toEqual({});
  expect(changedFields(first, { ...first, devName: 'storage', devType: '' })).toEqual({
    devName: 'storage',
    devType: '',
  });
});

test('devices that are not loaded have the flag of the category that is shown', () => {
  const find = (key: string) =>
    key === 'a' ? { ...device, devIsArchived: 1 as const, devFavorite: 1 as const } : undefined;
  expect(toggledFlag(['a'], 'devIsArchived', find, 'my')).toBe(0);
  expect(toggledFlag(['a', 'not loaded'], 'devIsArchived', find, 'my')).toBe(1);
  expect(toggledFlag(['a', 'not loaded'], 'devIsArchived', find, 'archived')).toBe(0);
  expect(toggledFlag(['a', 'not loaded'], 'devFavorite', find, 'archived')).toBe(1);
  expect(toggledFlag(['a', 'not loaded'], 'devFavorite', find, 'favorites')).toBe(0);
  expect(toggledFlag(['b'], 'devFavorite', () => device, 'favorites')).toBe(1);
});

test.each([
  ['', { devIsArchived: 1 }, true],
  ['', { devIsArchived: 0 }, false],
  ['', { devIsNew: 0, devFavorite: 0, devAlertDown: 0, devName: 'x', devType: 'x', devGroup: 'x' }, false],
  ['status=archived', { devIsArchived: 0 }, true],
  ['status=archived', { devIsArchived: 1 }, false],
  ['status=new', { devIsNew: 0 }, true],
  ['status=new', { devIsNew: 1 }, false],
  ['status=favorites', { devFavorite: 0 }, true],
  ['status=down', { devAlertDown: 0 }, true],
  ['type=NAS', { devType: 'TV' }, true],
  ['type=NAS', { devType: 'NAS' }, false],
  ['group=', { devGroup: 'lab' }, true],
  ['text=nas', { devName: 'storage' }, true],
] as const)('in the view "%s", whether devices leave it with %j: %s', (query, set, leaves) => {
  expect(leavesView(set, parseView(new URLSearchParams(query)))).toBe(leaves);
});

test('devices that have left the view are not selected, and the others stay so', () => {
  const rows = [...'abc'].map((key) => ({ key }));
  const { selected } = moveTo(moveTo(EMPTY_GRID, rows, 0), rows, 2, true);
  expect([...without(selected, ['b', 'not selected'])]).toEqual(['a', 'c']);
});
