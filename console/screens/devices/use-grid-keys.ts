/** The keys of the grid. They work while one of its rows has the focus. */
import texts from 'messages:devices';
import type { RefObject } from 'react';
import { useShortcut } from '../../ui/keys.ts';
import { useScreen } from './screen.ts';

interface Keys {
  within: RefObject<HTMLElement | null>;
  moveBy: (rows: number) => void;
  moveToFirst: () => void;
  moveToLast: () => void;
  pageLength: () => number;
  open: () => void;
  edit: () => void;
  toggle: () => void;
  clear: () => void;
}

export function useGridKeys(keys: Keys): void {
  const { canWrite, canRun, actions, tools, list, open, hasPanel, showPanel } = useScreen();
  const { within, moveBy } = keys;
  const { keys: labels } = texts;
  const askToDelete = () => {
    const chosen = actions.chosen();
    if (chosen.length > 0) open({ what: 'delete', keys: chosen });
  };
  const here = { within };
  useShortcut('ArrowDown', labels.down, () => moveBy(1), here);
  useShortcut('ArrowUp', labels.up, () => moveBy(-1), here);
  useShortcut('PageDown', labels.pageDown, () => moveBy(keys.pageLength()), here);
  useShortcut('PageUp', labels.pageUp, () => moveBy(-keys.pageLength()), here);
  useShortcut('Home', labels.first, keys.moveToFirst, here);
  useShortcut('End', labels.last, keys.moveToLast, here);
  useShortcut('Enter', labels.open, keys.open, here);
  // Wherever the focus is, so that somebody can walk on while looking at the panel.
  useShortcut('j', labels.down, () => moveBy(1));
  useShortcut('k', labels.up, () => moveBy(-1));
  useShortcut('p', labels.panel, () => showPanel(!hasPanel));

  const running = { within, when: canRun };
  const chosen = () => actions.chosen().flatMap((key) => list.find(key) ?? []);
  useShortcut('w', labels.wake, () => tools.start('wake', chosen()), running);
  useShortcut('s', labels.scan, () => tools.start('scan', chosen()), running);

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
  useShortcut('Delete', labels.delete, () => askToDelete(), writing);
  // The last one is asked first.
  useShortcut('Escape', labels.closePanel, () => showPanel(false), { when: hasPanel });
}
