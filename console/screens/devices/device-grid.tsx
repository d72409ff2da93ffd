/** The table of devices: an ARIA grid that renders only the visible rows. */
import texts from 'messages:devices';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useLocation } from 'wouter';
import { columnsBeside, templateOf } from './columns.tsx';
import { type Device, pathOf } from './device.ts';
import styles from './device-grid.module.css';
import { DeviceRow } from './device-row.tsx';
import { GridHead, GroupRow } from './grid-head.tsx';
import { GridPart } from './grid-part.tsx';
import { useScreen } from './screen.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { usePresence } from './use-presence.ts';
import { useRowEdit } from './use-row-edit.ts';

/** A row on a phone. */
const CARD_HEIGHT = 64;
/** The heading of a group there. */
const HEADING_HEIGHT = 44;
const HEAD_HEIGHT = 32;
const FALLBACK_HEIGHT = 32;
/** So many rows before the end, the next page is requested. */
const LOAD_AHEAD = 150;

export function DeviceGrid() {
  const screen = useScreen();
  const { site, view, list, grid, parents, isNarrow, canWrite, actions, hasPanel, showPanel } = screen;
  const { shown: rows, lines } = screen.lines;
  const [hasLatency, setHasLatency] = useState(false);
  const columns = columnsBeside(screen.columns, hasPanel, hasLatency);
  const hasActions = !hasPanel;
  const isOnTop = ({ devIsNew }: Device) => canWrite && lines !== null && view.by === 'new' && devIsNew === 1;
  const [, navigate] = useLocation();
  const { loadMore } = list;
  const [hovered, setHovered] = useState(-1);
  const { active } = grid;
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const hasFocus = useRef(false);
  const edit = useRowEdit();
  const density = useSyncExternalStore(onDensity, rowHeightOf);
  const rowHeight = isNarrow ? CARD_HEIGHT : density;
  const headHeight = isNarrow ? 0 : HEAD_HEIGHT;
  const lineOf = (index: number) => (lines === null ? index : lines.indexOf(index));
  const activeLine = active === -1 ? -1 : lineOf(active);

  const virtualizer = useVirtualizer({
    count: lines?.length ?? rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (line) => (isNarrow && typeof lines?.[line] === 'object' ? HEADING_HEIGHT : rowHeight),
    overscan: 10,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    // Without its row, the focus would be lost by scrolling.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range);
        return activeLine === -1 || shown.includes(activeLine) ? shown : [...shown, activeLine].sort((a, b) => a - b);
      },
      [activeLine],
    ),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows change their height at once
  useLayoutEffect(() => virtualizer.measure(), [rowHeight, lines]);
  const last = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (last >= (lines?.length ?? rows.length) - LOAD_AHEAD) loadMore();
  });
  const inSight = virtualizer.getVirtualItems().flatMap(({ index }) => {
    const at = lines === null ? index : lines[index];
    return typeof at === 'number' ? (rows[at]?.key ?? []) : [];
  });
  const needsPresence = screen.columns.includes('presence') || screen.columns.includes('latency');
  const presence = usePresence(site, inSight, needsPresence);
  // The column stays once any device has had a latency, also after scrolling.
  if (!hasLatency && [...presence.values()].some((one) => one.presence?.latency)) setHasLatency(true);

  const rowAt = (index: number) => body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the edit of a row starts
  useEffect(() => {
    if (edit.key === null) return;
    const input = rowAt(active)?.querySelector<HTMLInputElement>('input[name="devName"]');
    input?.focus();
    input?.select();
  }, [edit.key]);
  const handledWish = useRef(grid.focusWish);
  useEffect(() => {
    // The row that had the focus may have disappeared.
    const isLost = hasFocus.current && document.activeElement === document.body;
    if (handledWish.current !== grid.focusWish || isLost) rowAt(active)?.focus({ preventScroll: true });
    handledWish.current = grid.focusWish;
  });

  const moveTo = (to: number, extend = false) => {
    const index = Math.max(0, Math.min(to, rows.length - 1));
    virtualizer.scrollToIndex(lineOf(index));
    grid.move(index, extend && canWrite);
    grid.focus();
  };
  const pageLength = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
  const startEdit = (index: number) => {
    const device = rows[index];
    if (device !== undefined && canWrite) edit.start(device);
  };
  const save = () => {
    const edited = edit.stop();
    if (edited !== null) actions.save(edited.key, edited.set);
  };
  const openPage = (index: number, isInTab = false) => {
    const device = rows[index];
    if (device === undefined) return;
    if (isInTab) window.open(`#${pathOf(site, device)}`, '_blank');
    else navigate(pathOf(site, device));
  };
  useGridKeys({ within: body, rowCount: rows.length, pageLength, moveTo, openPage, startEdit });

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const isInput = event.target instanceof HTMLInputElement && event.target.name !== '';
    if (isInput) {
      if (event.nativeEvent.isComposing) return; // Enter and Escape are for the input method.
      if ((event.ctrlKey || event.metaKey) && event.key === 'a') event.stopPropagation(); // Selects the text.
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault();
      grid.focus();
      if (event.key === 'Enter') save();
      else edit.stop();
    } else if (event.shiftKey && !event.ctrlKey && !event.metaKey) {
      const to = new Map([
        ['ArrowDown', active + 1],
        ['ArrowUp', active - 1],
        ['PageDown', active + pageLength()],
        ['PageUp', active - pageLength()],
        ['Home', 0],
        ['End', rows.length - 1],
      ]).get(event.key);
      if (to === undefined) return;
      event.preventDefault();
      moveTo(to, true);
    }
  }

  function onMouseDown(event: MouseEvent): void {
    const index = indexOf(event.target);
    if (index === null || !event.shiftKey || edit.key !== null) return;
    event.preventDefault(); // Would select the text in between.
    moveTo(index, true);
  }

  function onClick(event: MouseEvent): void {
    const { target, shiftKey } = event;
    const index = indexOf(target);
    if (index === null || rows[index] === undefined || shiftKey || !(target instanceof Element)) return;
    if (target.closest('[data-does="select"]') !== null) {
      grid.focus();
      grid.toggle(index);
      return;
    }
    if (target.closest('[data-does="name"]') !== null) {
      grid.move(index);
      startEdit(index);
      return;
    }
    if (isControl(target)) return;
    if (event.metaKey || event.ctrlKey) {
      // The browser opens links in a tab.
      if (target.closest('a') === null) openPage(index, true);
      return;
    }
    event.preventDefault();
    grid.move(index);
    grid.focus();
    showPanel(true);
  }

  function onAuxClick({ target, button }: MouseEvent): void {
    const index = indexOf(target);
    if (button === 1 && index !== null && target instanceof Element && target.closest('a') === null)
      openPage(index, true);
  }

  function onDoubleClick({ target }: MouseEvent): void {
    const index = indexOf(target);
    if (index !== null && !isControl(target)) openPage(index);
  }

  function onFocus({ target }: FocusEvent): void {
    hasFocus.current = true;
    const index = indexOf(target);
    if (index !== null && index !== active) grid.move(index);
  }

  function onBlur({ relatedTarget }: FocusEvent): void {
    const isInside = relatedTarget instanceof Node && (body.current?.contains(relatedTarget) ?? false);
    hasFocus.current = isInside;
    const row = edit.key === null ? null : rowAt(rows.findIndex(({ key }) => key === edit.key));
    if (row !== null && !(relatedTarget instanceof Node && row.contains(relatedTarget))) save();
  }

  return (
    <GridPart
      ref={scroller}
      role="grid"
      aria-label={texts.title}
      aria-rowcount={list.total + list.groups.length + 1}
      aria-colcount={(isNarrow ? 1 : columns.length) + (canWrite ? 1 : 0) + (hasActions ? 1 : 0)}
      aria-multiselectable={canWrite}
      aria-busy={list.isOutdated}
      className={`${styles.grid} card flex-1 min-h-0 min-w-0 overflow-auto`}
      style={
        {
          '--columns': templateOf(columns, isNarrow, canWrite, hasActions),
          '--line-height': `${rowHeight}px`,
        } as CSSProperties
      }
    >
      <GridHead columns={columns} hasActions={hasActions} />
      <GridPart
        ref={body}
        role="rowgroup"
        className={`${styles.body} relative min-w-min`}
        style={{ blockSize: virtualizer.getTotalSize() }}
        onMouseOver={({ target }) => setHovered(indexOf(target) ?? -1)}
        onMouseLeave={() => setHovered(-1)}
        {...{ onKeyDown, onMouseDown, onClick, onAuxClick, onDoubleClick, onFocus, onBlur }}
      >
        {virtualizer.getVirtualItems().map(({ index: line, start }) => {
          const index = lines === null ? line : (lines[line] ?? -1);
          const top = start - headHeight;
          if (typeof index === 'object') return <GroupRow key={`group ${index.group}`} {...{ line, top }} of={index} />;
          const device = rows[index];
          return device === undefined ? null : (
            <DeviceRow
              key={device.key}
              {...{ site, device, index, line, top, columns, isNarrow, canWrite, hasActions, parents }}
              presence={presence.get(device.key)?.presence ?? null}
              isUnnamed={isOnTop(device)}
              showsActions={hasActions && (isNarrow || isOnTop(device) || index === hovered || index === active)}
              isActive={index === active}
              isSelected={grid.selected.has(device.key)}
              draft={edit.key === device.key ? edit.draft : null}
              onDraft={edit.change}
            />
          );
        })}
      </GridPart>
    </GridPart>
  );
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, input, [role="menu"]') !== null;
}

function indexOf(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('[data-index]') : null;
  return row === null ? null : Number(row.getAttribute('data-index'));
}

/** The height as a number, which positions the rows: its token depends on the density and on touch. */
function rowHeightOf(): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue('--row-height');
  return Number.parseFloat(text) || FALLBACK_HEIGHT;
}

function onDensity(listener: () => void): () => void {
  const density = new MutationObserver(listener);
  density.observe(document.documentElement, { attributes: true, attributeFilter: ['data-density'] });
  const touch = window.matchMedia('(pointer: coarse)');
  touch.addEventListener('change', listener);
  return () => {
    density.disconnect();
    touch.removeEventListener('change', listener);
  };
}
