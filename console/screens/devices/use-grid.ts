/** The focus and the selection of the grid, while devices appear, disappear and move. */
import { useState } from 'react';
import type { Device } from './device.ts';
import { activeIndex, EMPTY_GRID, type GridState, keepShown, moveTo, toggle, without } from './grid-state.ts';
import type { DeviceList } from './use-device-list.ts';

export type Grid = ReturnType<typeof useGrid>;

/**
 * @param rows the shown ones
 * @param list also devices of collapsed groups, which stay selected
 * @param view another one clears the selection
 */
export function useGrid(
  rows: readonly Device[],
  { rows: all, isComplete }: Pick<DeviceList, 'rows' | 'isComplete'>,
  view: string,
) {
  const [state, setState] = useState<GridState & { view: string }>({ ...EMPTY_GRID, view });
  const [focusWish, setFocusWish] = useState(0);
  if (state.view !== view) setState({ ...state, view, selected: EMPTY_GRID.selected });
  const selected = isComplete ? keepShown(state.selected, all) : state.selected;
  if (state.view === view && selected !== state.selected) setState({ ...state, selected });

  const change = (next: (before: GridState) => GridState) =>
    setState((before) => ({ ...next(before), view: before.view }));
  const changeSelected = (next: (before: ReadonlySet<string>) => ReadonlySet<string>) =>
    setState((before) => (before.view === view ? { ...before, selected: next(before.selected) } : before));
  return {
    /** The row that has the focus when the grid has it; -1 without rows. */
    active: activeIndex(state, rows),
    selected,
    move: (to: number, extend = false) => change((before) => moveTo(before, rows, to, extend)),
    toggle: (index: number) => change((before) => toggle(before, rows, index)),
    /** Does nothing once another view is shown: the keys belong to the view of the caller. */
    select: (keys: readonly string[]) => changeSelected(() => new Set(keys)),
    /** The same for devices that no longer match the view. */
    unselect: (keys: readonly string[]) => changeSelected((before) => without(before, keys)),
    /** Gives the focus to the active row when it is shown. */
    focus: () => setFocusWish((before) => before + 1),
    /** Grows with each call of `focus`: as state, it takes effect after the row is rendered. */
    focusWish,
  };
}
