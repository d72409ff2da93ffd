/** The table of devices: an ARIA grid that renders only the rows in sight, however many there are. */
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
} from 'react';
import { useLocation } from 'wouter';
import type { ColumnName } from './columns.tsx';
import { templateOf } from './columns.tsx';
import styles from './device-grid.module.css';
import { DeviceRow } from './device-row.tsx';
import type { InPlaceField } from './draft.ts';
import { GridHead } from './grid-head.tsx';
import { GridPart } from './grid-part.tsx';
import { useScreen } from './screen.ts';
import { texts } from './texts.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { useRowEdit } from './use-row-edit.ts';

const ROW_HEIGHT = { wide: 38, narrow: 62 };
const HEAD_HEIGHT = 36;
/** Rows that are left before the next page is asked for. */
const LOAD_AHEAD = 150;

export function DeviceGrid() {
  const { site, list, grid, columns, parents, isNarrow, canWrite, actions } = useScreen();
  const [, navigate] = useLocation();
  const { rows, loadMore } = list;
  const { active } = grid;
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const hasFocus = useRef(false);
  const edit = useRowEdit();
  const rowHeight = isNarrow ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide;
  const headHeight = isNarrow ? 0 : HEAD_HEIGHT;

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    // The row that has the focus stays, or the focus would be lost by scrolling.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range);
        return active === -1 || shown.includes(active) ? shown : [...shown, active].sort((a, b) => a - b);
      },
      [active],
    ),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows change their height at once
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const last = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (last >= rows.length - LOAD_AHEAD) loadMore();
  });

  const rowAt = (index: number) => body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when a row begins to be edited
  useEffect(() => {
    if (edit.field === null) return;
    const input = rowAt(active)?.querySelector<HTMLInputElement>(`input[name="${edit.field}"]`);
    input?.focus();
    input?.select();
  }, [edit.key, edit.field]);
  const handledWish = useRef(grid.focusWish);
  useEffect(() => {
    // The row that had the focus may be gone.
    const isLost = hasFocus.current && document.activeElement === document.body;
    if (handledWish.current !== grid.focusWish || isLost) rowAt(active)?.focus({ preventScroll: true });
    handledWish.current = grid.focusWish;
  });

  const moveTo = (to: number, extend = false) => {
    const index = Math.max(0, Math.min(to, rows.length - 1));
    virtualizer.scrollToIndex(index);
    grid.move(index, extend && canWrite);
    grid.focus();
  };
  const pageLength = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
  const startEdit = (index: number, field: InPlaceField = 'devName') => {
    const device = rows[index];
    if (device !== undefined && canWrite) edit.start(device, field);
  };
  const save = () => {
    const edited = edit.stop();
    if (edited !== null) actions.save(edited.key, edited.set);
  };
  useGridKeys({
    within: body,
    moveBy: (rowsDown) => moveTo(active + rowsDown),
    moveToFirst: () => moveTo(0),
    moveToLast: () => moveTo(rows.length - 1),
    pageLength,
    open: () => {
      const device = rows[active];
      if (device !== undefined) navigate(`/sites/${site}/devices/${encodeURIComponent(device.key)}`);
    },
    edit: () => startEdit(active),
    toggle: () => grid.toggle(active),
    clear: () => grid.select([]),
  });

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

  function onClick({ target, shiftKey }: MouseEvent): void {
    const index = indexOf(target);
    const does = target instanceof Element ? target.closest('[data-does]')?.getAttribute('data-does') : null;
    const device = index === null ? undefined : rows[index];
    if (index === null || device === undefined || shiftKey || typeof does !== 'string') return;
    grid.focus();
    if (does === 'select') grid.toggle(index);
    else actions.favourite([device.key]);
  }

  function onDoubleClick({ target }: MouseEvent): void {
    const index = indexOf(target);
    const field = target instanceof Element ? target.closest('[data-field]')?.getAttribute('data-field') : null;
    if (index !== null && typeof field === 'string' && edit.key === null) startEdit(index, field as InPlaceField);
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
      aria-rowcount={list.total + 1}
      aria-colcount={(isNarrow ? 1 : columns.length) + (canWrite ? 1 : 0)}
      aria-multiselectable={canWrite}
      aria-busy={list.isOutdated}
      className={styles.grid}
      style={{ '--columns': columnsOf(columns, isNarrow, canWrite), '--row-height': `${rowHeight}px` } as CSSProperties}
    >
      <GridHead />
      <GridPart
        ref={body}
        role="rowgroup"
        className={styles.body}
        style={{ blockSize: virtualizer.getTotalSize() }}
        {...{ onKeyDown, onMouseDown, onClick, onDoubleClick, onFocus, onBlur }}
      >
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const device = rows[index];
          return device === undefined ? null : (
            <DeviceRow
              key={device.key}
              {...{ site, device, index, columns, isNarrow, canWrite, parents }}
              top={start - headHeight}
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

function columnsOf(columns: readonly ColumnName[], isNarrow: boolean, hasSelection: boolean): string {
  if (isNarrow) return hasSelection ? '44px minmax(0, 1fr)' : 'minmax(0, 1fr)';
  return templateOf(columns, hasSelection);
}

function indexOf(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('[data-index]') : null;
  return row === null ? null : Number(row.getAttribute('data-index'));
}
