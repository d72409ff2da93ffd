/** The row that is being edited in place. */
import { useCallback, useState } from 'react';
import type { Device } from './device.ts';
import { changedFields, type Draft, draftOf, type InPlaceField } from './draft.ts';

interface RowEdit {
  key: string | null;
  draft: Draft | null;
  change: (draft: Draft) => void;
  start: (device: Device, field: InPlaceField) => void;
  /** @returns the device that was being edited, and the fields that were changed */
  stop: () => { key: string; set: Partial<Draft> } | null;
  /** The field whose input gets the focus first. */
  field: InPlaceField | null;
}

interface Editing {
  key: string;
  field: InPlaceField;
  /** The values when the editing began. */
  first: Draft;
  draft: Draft;
}

export function useRowEdit(): RowEdit {
  const [editing, setEditing] = useState<Editing | null>(null);
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
    start(device, field) {
      const first = draftOf(device);
      setEditing({ key: device.key, field, first, draft: first });
    },
    stop() {
      setEditing(null);
      return editing === null ? null : { key: editing.key, set: changedFields(editing.first, editing.draft) };
    },
  };
}
