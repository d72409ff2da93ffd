/** The keys of the grid. They work while one of its rows has the focus. */
import texts from 'messages:devices';
import type { RefObject } from 'react';
import { KEYS, useShortcut } from '../../ui/keys.ts';
import { useScreen } from './screen.ts';
import { verbsFor } from './verbs.tsx';

interface Grid {
  within: RefObject<HTMLElement | null>;
  rowCount: number;
  pageLength: () => number;
  moveTo: (index: number) => void;
  openPage: (index: number) => void;
  startEdit: (index: number) => void;
}

export function useGridKeys({ within, rowCount, pageLength, moveTo, openPage, startEdit }: Grid): void {
  const screen = useScreen();
  const { canWrite, canRun, actions, grid, hasPanel, showPanel } = screen;
  const { keys: labels } = texts;
  const moveBy = (rowsDown: number) => moveTo(grid.active + rowsDown);
  const edit = () => startEdit(grid.active);
  const verbs = () => verbsFor(screen, actions.chosen());
  const here = { within };
  useShortcut('ArrowDown', labels.down, () => moveBy(1), here);
  useShortcut('ArrowUp', labels.up, () => moveBy(-1), here);
  useShortcut('PageDown', labels.pageDown, () => moveBy(pageLength()), here);
  useShortcut('PageUp', labels.pageUp, () => moveBy(-pageLength()), here);
  useShortcut('Home', labels.first, () => moveTo(0), here);
  useShortcut('End', labels.last, () => moveTo(rowCount - 1), here);
  useShortcut('Enter', labels.open, () => openPage(grid.active), here);
  // Wherever the focus is: they move through the list also from the panel.
  useShortcut(KEYS.next, labels.down, () => moveBy(1));
  useShortcut('k', labels.up, () => moveBy(-1));
  useShortcut('p', labels.panel, () => showPanel(!hasPanel));

  const running = { within, when: canRun };
  useShortcut(KEYS.wake, labels.wake, () => verbs().wake.run(), running);
  useShortcut(KEYS.scan, labels.scan, () => verbs().scan.run(), running);

  const writing = { within, when: canWrite };
  useShortcut(' ', labels.select, () => grid.toggle(grid.active), writing);
  // Only for the list of keys: the grid itself handles Shift.
  useShortcut('shift+ArrowDown', labels.selectRange, () => undefined, writing);
  useShortcut('mod+a', labels.selectAll, actions.selectAll, writing);
  useShortcut('Escape', labels.clear, () => grid.select([]), writing);
  useShortcut('F2', labels.edit, edit, writing);
  useShortcut(KEYS.edit, labels.edit, edit, writing);
  useShortcut(KEYS.favourite, labels.favourite, () => verbs().favourite.run(), writing);
  useShortcut(KEYS.archive, labels.archive, () => verbs().archive.run(), writing);
  useShortcut(KEYS.known, labels.acknowledge, () => verbs().acknowledge.run(), writing);
  useShortcut('Delete', labels.delete, () => verbs().delete.run(), writing);
  // Declared last, it takes precedence over the other Escape.
  useShortcut('Escape', labels.closePanel, () => showPanel(false), { when: hasPanel });
}
