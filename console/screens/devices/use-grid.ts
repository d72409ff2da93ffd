/** The focus and the selection of the grid, kept right while devices come, go and move. */
import { useState } from 'react';
import type { DeviceSource } from './device-source.ts';
import { activeIndex, EMPTY_GRID, type GridState, keepShown, moveTo, toggle } from './grid-state.ts';

export interface Grid {
  /** The row that has the focus when the grid has it; -1 without rows. */
  active: number;
  selected: ReadonlySet<string>;
  move: (to: number, extend?: boolean) => void;
  toggle: (index: number) => void;
  select: (keys: readonly string[]) => void;
  /** Gives the focus to the active row when it is shown. */
  focus: () => void;
  /** Grows with every call of `focus`: state and not an event, so that the row is rendered when it is acted upon. */
  focusWish: number;
}

/** @param view the selection is given up when another view is shown */
export function useGrid({ rows, isWhole }: Pick<DeviceSource, 'rows' | 'isWhole'>, view: string): Grid {
  const [state, setState] = useState<GridState>(EMPTY_GRID);
  const [shownView, setShownView] = useState(view);
  const [focusWish, setFocusWish] = useState(0);
  if (shownView !== view) {
    setShownView(view);
    setState((before) => ({ ...before, selected: EMPTY_GRID.selected }));
  }
  const selected = isWhole ? keepShown(state.selected, rows) : state.selected;
  if (selected !== state.selected) setState({ ...state, selected });

  return {
    active: activeIndex(state, rows),
    selected,
    move: (to, extend = false) => setState((before) => moveTo(before, rows, to, extend)),
    toggle: (index) => setState((before) => toggle(before, rows, index)),
    select: (keys) => setState((before) => ({ ...before, selected: new Set(keys) })),
    focus: () => setFocusWish((before) => before + 1),
    focusWish,
  };
}
