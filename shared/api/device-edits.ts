/** What people may set of a device, of one and of many. */
import * as z from 'zod';
import { DEVICE_FIELD_KINDS, EDITABLE_FIELDS, type EditableField, MAX_LENGTHS, parseDeviceMac } from '../device.ts';

/** How each field of an edit is checked. */
const EDITS = {
  text: z.string().max(MAX_LENGTHS.text),
  label: z.string().max(MAX_LENGTHS.label),
  flag: z.union([z.literal(0), z.literal(1)]),
  parent: z
    .string()
    .max(100, { abort: true })
    .transform((text, context) => {
      const parent = text === '' ? '' : parseDeviceMac(text);
      if (parent !== null) return parent;
      context.addIssue({ code: 'custom', message: 'expected a MAC address, Internet, or an empty text' });
      return z.NEVER;
    })
    .meta({ description: 'The MAC of another device in any notation, the word `Internet`, or empty.' }),
};

type EditShape = { [Field in EditableField]: z.ZodOptional<(typeof EDITS)[(typeof DEVICE_FIELD_KINDS)[Field]]> };

/** Strict: a misspelt field must not be taken for an edit that was made. */
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
      'The fields count as set by a person from then on. An empty devName, devType or devModel gives the field back to recognition.',
  });
export type DeviceEdit = z.infer<typeof DeviceEdit>;
/** Most devices in an edit of many. */
export const MAX_EDITED_DEVICES = 1_000;
/** Seven texts of the greatest length, however they are written in JSON, and the names of 1,000 devices. */
export const MAX_EDIT_BYTES = 256 * 1024;
