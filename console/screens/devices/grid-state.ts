/** The focus and the selection of the grid, by key, because rows move. */
export interface GridState {
  /** The device that has, or last had, the focus. */
  active: string | null;
  /** Its place: the next device there gets the focus when it disappears. */
  index: number;
  /** The start of a range. */
  anchor: string | null;
  selected: ReadonlySet<string>;
}

interface Keyed {
  key: string;
}

export const EMPTY_GRID: GridState = { active: null, index: 0, anchor: null, selected: new Set() };

/** The row that has the focus; -1 without rows. */
export function activeIndex(state: GridState, rows: readonly Keyed[]): number {
  if (rows[state.index]?.key === state.active) return state.index;
  const found = state.active === null ? -1 : rows.findIndex(({ key }) => key === state.active);
  return found === -1 ? Math.min(state.index, rows.length - 1) : found;
}

/** Moves the focus. @param extend whether the selection becomes the range from the anchor */
export function moveTo(state: GridState, rows: readonly Keyed[], to: number, extend = false): GridState {
  const index = Math.max(0, Math.min(to, rows.length - 1));
  const active = rows[index]?.key;
  if (active === undefined) return state;
  if (!extend) return { ...state, active, index, anchor: active };
  const anchor = state.anchor ?? state.active ?? active;
  const from = Math.max(
    0,
    rows.findIndex(({ key }) => key === anchor),
  );
  const range = rows.slice(Math.min(from, index), Math.max(from, index) + 1);
  return { active, index, anchor, selected: new Set(range.map(({ key }) => key)) };
}

export function toggle(state: GridState, rows: readonly Keyed[], index: number): GridState {
  const moved = moveTo(state, rows, index);
  if (moved.active === null) return state;
  const selected = new Set(moved.selected);
  if (!selected.delete(moved.active)) selected.add(moved.active);
  return { ...moved, selected };
}

/** Without devices that are no longer among the rows. The same object when all of them are. */
export function keepShown(selected: ReadonlySet<string>, rows: readonly Keyed[]): ReadonlySet<string> {
  if (selected.size === 0) return selected;
  const kept = rows.filter(({ key }) => selected.has(key));
  return kept.length === selected.size ? selected : new Set(kept.map(({ key }) => key));
}

export function without(selected: ReadonlySet<string>, keys: readonly string[]): ReadonlySet<string> {
  const rest = new Set(selected);
  for (const key of keys) rest.delete(key);
  return rest;
}
