/** The row that is being edited in place. */
import { useCallback, useState } from 'react';
import type { InPlaceField } from './columns.tsx';
import type { Device } from './device.ts';
import { type Draft, draftOf } from './device-row.tsx';

export interface RowEdit {
  key: string | null;
  draft: Draft | null;
  change: (draft: Draft) => void;
  start: (device: Device, field: InPlaceField) => void;
  /** @returns what was being edited */
  stop: () => { key: string; draft: Draft } | null;
  /** The field whose input gets the focus first. */
  field: InPlaceField | null;
}

export function useRowEdit(): RowEdit {
  const [editing, setEditing] = useState<{ key: string; field: InPlaceField; draft: Draft } | null>(null);
  // The same function every time, or all rows would be rendered anew with every one.
  const change = useCallback(
    (draft: Draft) => setEditing((before) => (before === null ? null : { ...before, draft })),
    [],
  );
  return {
    key: editing?.key ?? null,
    draft: editing?.draft ?? null,
    field: editing?.field ?? null,
    change,
    start: (device, field) => setEditing({ key: device.key, field, draft: draftOf(device) }),
    stop() {
      setEditing(null);
      return editing;
    },
  };
}
