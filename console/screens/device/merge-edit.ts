/** Edits of a device that another person edits at the same time. */
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import type { EditableField } from '../../../shared/device.ts';

/** The texts of the form. */
export const TEXT_FIELDS = [
  'devName',
  'devType',
  'devModel',
  'devGroup',
  'devOwner',
  'devLocation',
  'devParentMAC',
  'devParentPort',
  'devComments',
] as const satisfies EditableField[];
export type TextField = (typeof TEXT_FIELDS)[number];
export type Texts = Record<TextField, string>;

export function textsOf(device: OneDevice): Texts {
  return Object.fromEntries(TEXT_FIELDS.map((field) => [field, device[field]])) as Texts;
}

/** The changes in the form: a field that is sent counts as set by a person, so unchanged ones are left out. */
export function editOf(device: OneDevice, texts: Texts): DeviceEdit {
  return Object.fromEntries(
    TEXT_FIELDS.filter((field) => texts[field] !== device[field]).map((field) => [field, texts[field]]),
  );
}

export function isEmpty(edit: DeviceEdit): boolean {
  return Object.keys(edit).length === 0;
}

export interface Meanwhile {
  /** Fields of the edit that another person has set to another value. */
  conflicts: EditableField[];
  /** The other texts of the form that have changed. */
  others: TextField[];
}

/**
 * The changes between two readings of a device that concern an edit. Only `conflicts` prevent it: a sighting by
 * discovery, or an edit of another field, does not.
 */
export function meanwhile(before: OneDevice, now: OneDevice, edit: DeviceEdit): Meanwhile {
  const edited = Object.keys(edit) as EditableField[];
  const hasChanged = (field: EditableField) => now[field] !== before[field];
  return {
    conflicts: edited.filter((field) => hasChanged(field) && now[field] !== edit[field]),
    others: TEXT_FIELDS.filter((field) => hasChanged(field) && !edited.includes(field)),
  };
}

/** The form on the new state of the device: fields that were not edited have their present values. */
export function rebased(before: OneDevice, now: OneDevice, texts: Texts): Texts {
  return { ...textsOf(now), ...(editOf(before, texts) as Partial<Texts>) };
}
