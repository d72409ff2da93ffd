import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../../shared/device.ts';
import { parseColumns } from './column-choice.ts';
import { partsOf } from './parts.ts';
import { withEdits } from './pending-edits.ts';

const WATCHED = { state: 'watched', since: null } as const;
const devices = ['a', 'b', 'c'].map((key) => ({ ...BLANK_DEVICE, watch: WATCHED, key, devName: key }));

test('edits are shown in their order, and devices that none is about stay the same objects', () => {
  const edits = [
    { keys: new Set(['a', 'b']), set: { devType: 'NAS', devGroup: 'lab' } },
    { keys: new Set(['b']), set: { devType: 'TV' } },
  ];
  const shown = withEdits(devices, edits);
  expect(shown.map(({ devType, devGroup }) => `${devType} ${devGroup}`)).toEqual(['NAS lab', 'TV lab', ' ']);
  expect(shown[2]).toBe(devices[2]);
  expect(devices[0]?.devType).toBe('');
  expect(withEdits(devices, [])).toBe(devices);
});

test('many are cut into parts', () => {
  expect(partsOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(partsOf([], 2)).toEqual([]);
});

test('whatever a browser has stored, status and name are columns', () => {
  expect(parseColumns('mac ip nonsense')).toEqual(['status', 'name', 'ip', 'mac']);
  expect(parseColumns('')).toEqual(['status', 'name']);
  expect(parseColumns(null).length).toBeGreaterThan(4);
});
