/** The keys of the grid. They work while one of its rows has the focus. */
import type { RefObject } from 'react';
import { useShortcut } from '../../ui/keys.ts';
import type { Device } from './device.ts';
import type { Draft } from './draft.ts';
import { texts } from './texts.ts';

/** What the keys of the grid do, for the selected devices or the one that has the focus. */
export interface GridActions {
  open: (device: Device) => void;
  selectAll: () => void;
  /** @param set the fields that were changed */
  save: (key: string, set: Partial<Draft>) => void;
  favourite: (keys?: readonly string[]) => void;
  archive: () => void;
  acknowledge: () => void;
  remove: () => void;
}

interface Keys {
  within: RefObject<HTMLElement | null>;
  canWrite: boolean;
  moveBy: (rows: number) => void;
  moveToFirst: () => void;
  moveToLast: () => void;
  pageLength: () => number;
  open: () => void;
  edit: () => void;
  toggle: () => void;
  clear: () => void;
  actions: GridActions;
}

export function useGridKeys(keys: Keys): void {
  const { within, canWrite, moveBy, actions } = keys;
  const { keys: labels } = texts;
  const here = { within };
  useShortcut('ArrowDown', labels.down, () => moveBy(1), here);
  useShortcut('ArrowUp', labels.up, () => moveBy(-1), here);
  useShortcut('PageDown', labels.pageDown, () => moveBy(keys.pageLength()), here);
  useShortcut('PageUp', labels.pageUp, () => moveBy(-keys.pageLength()), here);
  useShortcut('Home', labels.first, keys.moveToFirst, here);
  useShortcut('End', labels.last, keys.moveToLast, here);
  useShortcut('Enter', labels.open, keys.open, here);

  const writing = { within, when: canWrite };
  useShortcut(' ', labels.select, keys.toggle, writing);
  // Never pressed as such: the grid itself hears whether Shift is down. For the list of keys.
  useShortcut('shift+ArrowDown', labels.selectRange, () => undefined, writing);
  useShortcut('mod+a', labels.selectAll, actions.selectAll, writing);
  useShortcut('Escape', labels.clear, keys.clear, writing);
  useShortcut('F2', labels.edit, keys.edit, writing);
  useShortcut('e', labels.edit, keys.edit, writing);
  useShortcut('f', labels.favourite, () => actions.favourite(), writing);
  useShortcut('a', labels.archive, actions.archive, writing);
  useShortcut('n', labels.acknowledge, actions.acknowledge, writing);
  useShortcut('Delete', labels.delete, actions.remove, writing);
}
