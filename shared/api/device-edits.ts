/** Edits of devices. */
import * as z from 'zod';
import { DEVICE_FIELD_KINDS, EDITABLE_FIELDS, type EditableField, MAX_LENGTHS, parseDeviceMac } from '../device.ts';
import { parsedText } from '../text-schemas.ts';

/** The schemas of the fields of an edit, by kind. */
const EDITS = {
  text: z.string().max(MAX_LENGTHS.text),
  label: z.string().max(MAX_LENGTHS.label),
  flag: z.union([z.literal(0), z.literal(1)]),
  parent: parsedText(100, 'expected a MAC address, Internet, or an empty text', (text) =>
    text === '' ? '' : parseDeviceMac(text),
  ).describe('The MAC of another device in any notation, the word `Internet`, or empty.'),
};

type EditShape = { [Field in EditableField]: z.ZodOptional<(typeof EDITS)[(typeof DEVICE_FIELD_KINDS)[Field]]> };

/** Strict: a misspelt field must not look like a successful edit. */
export const DeviceEdit = z
  .strictObject(
    Object.fromEntries(
      EDITABLE_FIELDS.map((field) => [field, EDITS[DEVICE_FIELD_KINDS[field]].optional()]),
    ) as EditShape,
  )
  .refine((edit) => Object.keys(edit).length > 0, `expected at least one of ${EDITABLE_FIELDS.join(', ')}`)
  .meta({
    id: 'DeviceEdit',
    description:
      'From then on the fields count as set by a person. An empty devName, devType or devModel returns the field to recognition.',
  });
export type DeviceEdit = z.infer<typeof DeviceEdit>;
/** Devices in an edit of many. */
export const MAX_EDITED_DEVICES = 1_000;
/** Seven texts of maximum length in any JSON encoding, and the names of 1,000 devices. */
export const MAX_EDIT_BYTES = 256 * 1024;
