/** The values of a row that is edited in place. */
import type { Device } from './device.ts';

/** The fields that are edited in the row, in the order of Tab. */
const EDITED_IN_PLACE = ['devName', 'devType', 'devGroup', 'devParentMAC'] as const;
export type InPlaceField = (typeof EDITED_IN_PLACE)[number];
export type Draft = Readonly<Record<InPlaceField, string>>;

export function draftOf(device: Device): Draft {
  return Object.fromEntries(EDITED_IN_PLACE.map((field) => [field, device[field]])) as Record<InPlaceField, string>;
}

/** Only the fields that the person has changed, so that what others have changed in the meantime is not overwritten. */
export function changedFields(first: Draft, last: Draft): Partial<Draft> {
  const changed = EDITED_IN_PLACE.filter((field) => last[field] !== first[field]);
  return Object.fromEntries(changed.map((field) => [field, last[field]]));
}
