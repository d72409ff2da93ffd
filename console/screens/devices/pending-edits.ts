/** Edits that are shown before the API has answered. One that it refuses is taken back, and the old values are there again. */
import { useCallback, useState } from 'react';
import type { EditableField } from '../../../shared/device.ts';
import type { Device } from './device.ts';

/** The fields that an edit sets. */
export type Edit = Partial<Pick<Device, EditableField>>;

export interface PendingEdit {
  keys: ReadonlySet<string>;
  set: Edit;
}

/** The devices as they will be. Those that no edit is about stay the same objects. */
export function withEdits<Row extends Device>(devices: readonly Row[], edits: readonly PendingEdit[]): readonly Row[] {
  if (edits.length === 0) return devices;
  return devices.map((device) => {
    const about = edits.filter(({ keys }) => keys.has(device.key));
    return about.length === 0 ? device : Object.assign({}, device, ...about.map(({ set }) => set));
  });
}

export interface PendingEdits {
  all: readonly PendingEdit[];
  add: (edit: PendingEdit) => void;
  drop: (edit: PendingEdit) => void;
}

export function usePendingEdits(): PendingEdits {
  const [all, setAll] = useState<readonly PendingEdit[]>([]);
  const add = useCallback((edit: PendingEdit) => setAll((before) => [...before, edit]), []);
  const drop = useCallback((edit: PendingEdit) => setAll((before) => before.filter((one) => one !== edit)), []);
  return { all, add, drop };
}
