/** What the parts of the screen share. */
import { createContext, useContext } from 'react';
import type { ColumnName } from './columns.tsx';
import type { Lines } from './group-lines.ts';
import type { DeviceActions } from './use-device-actions.ts';
import type { DeviceList } from './use-device-list.ts';
import type { Grid } from './use-grid.ts';
import type { DeviceTools } from './use-tools.ts';
import type { DeviceView } from './view.ts';

/** The open dialog. */
export type Open =
  | { what: 'columns' | 'export' | 'save-view' }
  | { what: 'edit' | 'delete'; keys: readonly string[] }
  | { what: 'import'; file: File | null };

export interface Screen {
  site: string;
  canWrite: boolean;
  /** Whether the token may run commands on the network of the site. */
  canRun: boolean;
  /** On a phone, where a row is a card of two lines. */
  isNarrow: boolean;
  view: DeviceView;
  changeView: (changes: Partial<DeviceView>) => void;
  list: DeviceList;
  /** The shown devices, and the headings between them. */
  lines: Lines;
  collapse: (group: string) => void;
  grid: Grid;
  actions: DeviceActions;
  tools: DeviceTools;
  /** Whether the side panel shows the device that has the focus. */
  hasPanel: boolean;
  showPanel: (isShown: boolean) => void;
  columns: readonly ColumnName[];
  /** The names of parent devices by their keys. */
  parents: ReadonlyMap<string, string>;
  open: (dialog: Open) => void;
}

export const ScreenContext = createContext<Screen | null>(null);

export function useScreen(): Screen {
  const screen = useContext(ScreenContext);
  if (screen === null) throw new Error('This is a part of the screen of devices');
  return screen;
}
