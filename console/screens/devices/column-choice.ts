/** Which columns the table has. The choice is kept in this browser. */
import { useState } from 'react';
import { COLUMNS, type ColumnName } from './columns.tsx';

export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];

/** The table always has these: without them a row could not be recognised. */
export const FIXED_COLUMNS: readonly ColumnName[] = ['status', 'name'];
const BY_DEFAULT: readonly ColumnName[] = ['status', 'name', 'ip', 'mac', 'type', 'group', 'vendor', 'lastConnection'];
const KEY = 'lanreach.devices.columns';

/** @param kept what this browser has stored; anything may stand there */
function parseColumns(kept: string | null): readonly ColumnName[] {
  if (kept === null) return BY_DEFAULT;
  const names = kept.split(' ');
  return COLUMN_NAMES.filter((name) => names.includes(name) || FIXED_COLUMNS.includes(name));
}

export function useColumns(): [readonly ColumnName[], (next: readonly ColumnName[] | null) => void] {
  const [columns, setColumns] = useState(() => parseColumns(window.localStorage.getItem(KEY)));
  const choose = (next: readonly ColumnName[] | null) => {
    if (next === null) window.localStorage.removeItem(KEY);
    else window.localStorage.setItem(KEY, next.join(' '));
    setColumns(parseColumns(window.localStorage.getItem(KEY)));
  };
  return [columns, choose];
}
