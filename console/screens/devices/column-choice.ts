/** Which columns the table has. The choice is kept in this browser. */
import { useMemo } from 'react';
import { makeKeptStore } from '../../ui/store.ts';
import { COLUMNS, type ColumnName } from './columns.tsx';

export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];

/** The table always has these: without them a row could not be recognised. */
export const FIXED_COLUMNS: readonly ColumnName[] = ['status', 'name'];
const BY_DEFAULT: readonly ColumnName[] = ['status', 'name', 'ip', 'mac', 'presence', 'latency', 'lastConnection'];
const kept = makeKeptStore('lanreach.devices.columns');

/** @param text what this browser has stored, or an address has; anything may stand there */
function parseColumns(text: string | null): readonly ColumnName[] {
  if (text === null) return BY_DEFAULT;
  const names = text.split(' ');
  return COLUMN_NAMES.filter((name) => names.includes(name) || FIXED_COLUMNS.includes(name));
}

/** As a view that is saved or shared has them; null for those that everybody has at first. */
export function formatColumns(columns: readonly ColumnName[]): string | null {
  const text = columns.join(' ');
  return text === BY_DEFAULT.join(' ') ? null : text;
}

/** @param ofView those of the view in the address; null where it has none */
export function useColumns(
  ofView: string | null,
): [readonly ColumnName[], (next: readonly ColumnName[] | null) => void] {
  const text = kept.use();
  const columns = useMemo(() => parseColumns(ofView ?? text), [ofView, text]);
  return [columns, (next) => kept.set(next === null ? null : next.join(' '))];
}
