import fc from 'fast-check';
import { expect, test } from 'vitest';
import { activeIndex, EMPTY_GRID, keepShown, moveTo, toggle } from './grid-state.ts';

const rowsOf = (text: string) => [...text].map((key) => ({ key }));
const ROWS = rowsOf('abcdef');

test('the focus follows its device when rows move, and stays in its place when the device is gone', () => {
  const state = moveTo(EMPTY_GRID, ROWS, 2);
  expect(activeIndex(state, ROWS)).toBe(2);
  expect(activeIndex(state, rowsOf('fedcba'))).toBe(3);
  expect(activeIndex(state, rowsOf('abdef'))).toBe(2);
  expect(activeIndex(state, rowsOf('a'))).toBe(0);
  expect(activeIndex(state, [])).toBe(-1);
});

test('a range begins where the focus was, grows and shrinks, and is replaced by the next one', () => {
  let state = moveTo(EMPTY_GRID, ROWS, 2);
  state = moveTo(state, ROWS, 4, true);
  expect([...state.selected]).toEqual(['c', 'd', 'e']);
  state = moveTo(state, ROWS, 1, true);
  expect([...state.selected]).toEqual(['b', 'c']);
  state = moveTo(moveTo(state, ROWS, 5), ROWS, 4, true);
  expect([...state.selected]).toEqual(['e', 'f']);
});

test('a device is selected and unselected', () => {
  const once = toggle(EMPTY_GRID, ROWS, 1);
  expect([...once.selected]).toEqual(['b']);
  expect(once.active).toBe('b');
  expect([...toggle(once, ROWS, 1).selected]).toEqual([]);
  expect(toggle(EMPTY_GRID, [], 0)).toBe(EMPTY_GRID);
});

test('what is not shown any more is not selected', () => {
  const selected = new Set(['b', 'd']);
  expect(keepShown(selected, ROWS)).toBe(selected);
  expect([...keepShown(selected, rowsOf('abc'))]).toEqual(['b']);
});

test('wherever one moves, the focus is on a row, and the selection among them', () => {
  const step = fc.record({ to: fc.integer({ min: -10, max: 20 }), extend: fc.boolean(), rows: fc.subarray(ROWS) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let state = EMPTY_GRID;
      for (const { to, extend, rows } of steps) {
        state = moveTo(state, rows, to, extend);
        const index = activeIndex(state, rows);
        expect(index).toBeGreaterThanOrEqual(-1);
        expect(index).toBeLessThan(Math.max(rows.length, 0) || 1);
        if (extend && rows.length > 0) {
          for (const key of state.selected) expect(rows.some((row) => row.key === key)).toBe(true);
        }
      }
    }),
  );
});
