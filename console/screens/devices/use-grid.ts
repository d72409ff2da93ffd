/** The focus and the selection of the grid, kept right while devices come, go and move. */
import { useState } from 'react';
import type { Device } from './device.ts';
import { activeIndex, EMPTY_GRID, type GridState, keepShown, moveTo, toggle, without } from './grid-state.ts';
import type { DeviceList } from './use-device-list.ts';

export interface Grid {
  /** The row that has the focus when the grid has it; -1 without rows. */
  active: number;
  selected: ReadonlySet<string>;
  move: (to: number, extend?: boolean) => void;
  toggle: (index: number) => void;
  /** Does nothing when another view is shown by now: the devices are those of the view in which it was asked for. */
  select: (keys: readonly string[]) => void;
  /** The same for devices that do not fit the view any more. */
  unselect: (keys: readonly string[]) => void;
  /** Gives the focus to the active row when it is shown. */
  focus: () => void;
  /** Grows with every call of `focus`: state and not an event, so that the row is rendered when it is acted upon. */
  focusWish: number;
}

/**
 * @param rows those that are shown
 * @param list also those of groups that are collapsed, which stay selected
 * @param view the selection is given up when another view is shown
 */
export function useGrid(
  rows: readonly Device[],
  { rows: all, isComplete }: Pick<DeviceList, 'rows' | 'isComplete'>,
  view: string,
): Grid {
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
    active: activeIndex(state, rows),
    selected,
    move: (to, extend = false) => change((before) => moveTo(before, rows, to, extend)),
    toggle: (index) => change((before) => toggle(before, rows, index)),
    select: (keys) => changeSelected(() => new Set(keys)),
    unselect: (keys) => changeSelected((before) => without(before, keys)),
    focus: () => setFocusWish((before) => before + 1),
    focusWish,
  };
}
