/** What the parts of the screen share. */
import { createContext, useContext } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { TextField } from './merge-edit.ts';
import type { DeviceEditor } from './use-device.ts';
import type { useHistory } from './use-history.ts';
import type { DeviceTools } from './use-tools.ts';

interface DeviceScreen {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
  /** Null where the token may run nothing. */
  tools: DeviceTools | null;
  history: ReturnType<typeof useHistory>;
  editor: DeviceEditor;
  /** Opens the form of all texts at one of them. */
  edit: (field: TextField) => void;
}

export const ScreenContext = createContext<DeviceScreen | null>(null);

export function useDeviceScreen(): DeviceScreen {
  const screen = useContext(ScreenContext);
  if (screen === null) throw new Error('This is a part of the screen of a device');
  return screen;
}
