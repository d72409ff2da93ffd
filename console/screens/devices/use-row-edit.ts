/** The row that is being edited in place. */
import { useCallback, useState } from 'react';
import type { Device } from './device.ts';

/** In the order of Tab. */
const EDITED_IN_PLACE = ['devName', 'devType', 'devGroup', 'devParentMAC'] as const;
export type InPlaceField = (typeof EDITED_IN_PLACE)[number];
export type Draft = Readonly<Record<InPlaceField, string>>;

export function draftOf(device: Device): Draft {
  return Object.fromEntries(EDITED_IN_PLACE.map((field) => [field, device[field]])) as Draft;
}

/** Only the fields that the person has changed, so that changes by others in the meantime are not overwritten. */
export function changedFields(first: Draft, last: Draft): Partial<Draft> {
  const changed = EDITED_IN_PLACE.filter((field) => last[field] !== first[field]);
  return Object.fromEntries(changed.map((field) => [field, last[field]]));
}

export function useRowEdit() {
  const [editing, setEditing] = useState<{ key: string; first: Draft; draft: Draft } | null>(null);
  // A new function would render all rows again.
  const change = useCallback((draft: Draft) => setEditing((before) => before && { ...before, draft }), []);
  return {
    key: editing?.key ?? null,
    draft: editing?.draft ?? null,
    change,
    start(device: Device) {
      const first = draftOf(device);
      setEditing({ key: device.key, first, draft: first });
    },
    /** @returns the device that was being edited, and its changed fields */
    stop() {
      setEditing(null);
      return editing && { key: editing.key, set: changedFields(editing.first, editing.draft) };
    },
  };
}
