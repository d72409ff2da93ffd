/** What all parts of the screen work with. */
import { createContext, useContext } from 'react';
import type { ColumnName } from './columns.tsx';
import type { DeviceActions } from './use-device-actions.ts';
import type { DeviceList } from './use-device-list.ts';
import type { Grid } from './use-grid.ts';
import type { DeviceView } from './view.ts';

/** The dialog that is open. */
export type Open =
  | { what: 'columns' | 'export' }
  | { what: 'edit' | 'delete'; keys: readonly string[] }
  | { what: 'import'; file: File | null };

export interface Screen {
  site: string;
  canWrite: boolean;
  /** On a phone, where a row has two lines in place of columns. */
  isNarrow: boolean;
  view: DeviceView;
  changeView: (changes: Partial<DeviceView>) => void;
  list: DeviceList;
  grid: Grid;
  actions: DeviceActions;
  columns: readonly ColumnName[];
  /** Names of the devices that others hang on, by their keys. */
  parents: ReadonlyMap<string, string>;
  open: (dialog: Open) => void;
}

export const ScreenContext = createContext<Screen | null>(null);

export function useScreen(): Screen {
  const screen = useContext(ScreenContext);
  if (screen === null) throw new Error('This is a part of the screen of devices');
  return screen;
}
