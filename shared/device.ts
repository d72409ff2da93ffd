/**
 * A device of a site's collection: its record, and the values that follow from it.
 * @promise Totals and lists agree: `test/api/agreement.test.ts`, `shared/device.test.ts`.
 */
import * as z from 'zod';
import { type Category, DEVICE_STATUSES, statusOf } from './device-status.ts';
import { STATUS_FILTERS } from './words.ts';

export { INTERNET, parseDeviceKey, parseDeviceMac } from './device-key.ts';
export { type Category, categoryOf, inCategory, SEEN_CATEGORIES, statusOf } from './device-status.ts';
export { RESTORABLE_DAYS, TOTALS_ORDER } from './words.ts';

const Flag = z.union([z.literal(0), z.literal(1)]);

/** The kinds of fields, with their schemas. */
const KINDS = {
  mac: z.string().describe('`AA:BB:CC:DD:EE:FF`, the word `Internet`, or empty.'),
  parent: z.string().describe('The MAC of another device, the word `Internet`, or empty.'),
  address: z.string().describe('IPv4 or IPv6 address in canonical form, or empty.'),
  flag: Flag,
  /** UTC, `YYYY-MM-DD HH:MM:SS`; empty when it never happened. */
  time: z.string().regex(/^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?$/),
  text: z.string(),
  /** A short text, such as a DNS name, that truncation would corrupt. */
  label: z.string(),
  /** IPv4 and IPv6 addresses in canonical form, separated by commas. */
  addresses: z.string(),
  /** A text in an encoding, such as base64, that truncation would make unreadable. */
  encoded: z.string(),
};
export type FieldKind = keyof typeof KINDS;

/**
 * Characters (UTF-16 code units) of a value. With the bounds of the extra columns they keep a device below the 400 KB of a
 * DynamoDB item, even if JSON writes every character in six bytes.
 */
export const MAX_LENGTHS = { text: 4_000, label: 255, addresses: 650, encoded: 4_000 } as const satisfies Partial<
  Record<FieldKind, number>
>;

/**
 * Every field of a device. A new field needs only a line here: the schema, the stored row, the columns of a full export
 * and of imports derive from it. The order is that of the values in stored rows and of the columns in a full export: add
 * new fields at the end, and never remove or move one. docs/decisions/006-columns-of-other-systems.md explains which
 * columns of NetAlertX are fields.
 */
export const DEVICE_FIELD_KINDS = {
  devMac: 'mac',
  devName: 'text',
  devLastIP: 'address',
  devType: 'text',
  devVendor: 'text',
  devFavorite: 'flag',
  devIsNew: 'flag',
  devIsArchived: 'flag',
  devAlertDown: 'flag',
  devPresentLastScan: 'flag',
  devFirstConnection: 'time',
  devLastConnection: 'time',
  devParentMAC: 'parent',
  devParentPort: 'text',
  devOwner: 'text',
  devGroup: 'text',
  devLocation: 'text',
  devComments: 'text',
  devSite: 'text',
  devFQDN: 'label',
  devStaticIP: 'flag',
  devPrimaryIPv4: 'label',
  devPrimaryIPv6: 'label',
  devVlan: 'label',
  devSSID: 'label',
  devParentRelType: 'label',
  devIcon: 'encoded',
  devCustomProps: 'encoded',
  devSourcePlugin: 'label',
  devGUID: 'label',
  /** Whether the MAC is randomized, as phones do for privacy. */
  devRandomMAC: 'flag',
  /** Every address at which it was seen last, separated by commas; empty when that is devLastIP alone. */
  devAddresses: 'addresses',
  /** The address conflict with another device, in words; empty without one. */
  devConflict: 'label',
  /** The maker's model name, such as `HL-L2350DW`. */
  devModel: 'label',
  /** Other MACs of the same device, the latest first, separated by commas: those joined with this one. */
  devOtherMACs: 'label',
} as const satisfies Record<string, FieldKind>;
type FieldKinds = typeof DEVICE_FIELD_KINDS;
export type DeviceField = keyof FieldKinds;

export const DEVICE_FIELDS = Object.keys(DEVICE_FIELD_KINDS) as DeviceField[];

type FieldShape = { -readonly [Field in DeviceField]: (typeof KINDS)[FieldKinds[Field]] };

const FieldsOnly = z.object(
  Object.fromEntries(DEVICE_FIELDS.map((field) => [field, KINDS[DEVICE_FIELD_KINDS[field]]])) as FieldShape,
);

export type DeviceFields = z.infer<typeof FieldsOnly>;

/** Different extra columns in the collection of one site. NetAlertX has 19 that are no fields here. */
export const MAX_EXTRA_COLUMNS = 50;
/** Characters of a value in an extra column. */
export const MAX_EXTRA_VALUE = 1_000;
/** Characters of all extra columns of one device, names and values. */
export const MAX_EXTRA_LENGTH = 4_096;

/** The name of an extra column, case-sensitive. A name that equals that of a field in any letter case means the field. */
export const ExtraName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][\w-]*$/);

/** Extra columns of a device. Texts are never empty; names are sorted by code unit, so that equal contents are equal as JSON. */
export const Extra = z
  .record(ExtraName, z.string().min(1).max(MAX_EXTRA_VALUE))
  .describe('Imported columns that are not fields: name of the column → text.');
export type Extra = Readonly<z.infer<typeof Extra>>;

/** One object for all devices without extra columns, of which a collection can have 100,000. */
export const NO_EXTRA: Extra = Object.freeze({});

export const DeviceRecord = FieldsOnly.extend({ extra: Extra.readonly() }).meta({ id: 'DeviceRecord' });
export type DeviceRecord = z.infer<typeof DeviceRecord>;

/** A device as a row of a table: its fields, and each of its extra columns beside them. */
export const DeviceRow = FieldsOnly.catchall(z.string()).meta({ id: 'DeviceRow' });

/** An empty record. */
export const BLANK_DEVICE: Readonly<DeviceRecord> = Object.freeze({
  ...(Object.fromEntries(
    DEVICE_FIELDS.map((field) => [field, DEVICE_FIELD_KINDS[field] === 'flag' ? 0 : '']),
  ) as DeviceFields),
  extra: NO_EXTRA,
});

export function sameRecord(a: DeviceRecord, b: DeviceRecord): boolean {
  const isSameExtra = a.extra === b.extra || JSON.stringify(a.extra) === JSON.stringify(b.extra);
  return isSameExtra && DEVICE_FIELDS.every((field) => a[field] === b[field]);
}

/** The fields of a device that people edit by hand. */
export const EDITABLE_FIELDS = [
  'devName',
  'devType',
  'devFavorite',
  'devIsArchived',
  'devIsNew',
  'devAlertDown',
  'devParentMAC',
  'devParentPort',
  'devOwner',
  'devGroup',
  'devLocation',
  'devComments',
  'devModel',
] as const satisfies DeviceField[];
export type EditableField = (typeof EDITABLE_FIELDS)[number];

/** Fields observed on the network. They change on their own, so an imported value does not count as set by a person. */
export const OBSERVED_FIELDS: readonly DeviceField[] = [
  'devMac',
  'devLastIP',
  'devPresentLastScan',
  'devFirstConnection',
  'devLastConnection',
  'devRandomMAC',
  'devAddresses',
  'devConflict',
  'devOtherMACs',
];

/** Other MACs of one device. A MAC not seen for a year is dropped; beyond this many, the one not seen for longest. */
export const MAX_JOINED = 64;

export const DeviceStatus = z.enum(DEVICE_STATUSES);
export type DeviceStatus = z.infer<typeof DeviceStatus>;

/** The six fields of the list and of the export, in column order. */
export const DeviceSummary = z
  .object({
    devName: z.string(),
    devMAC: z.string(),
    devIP: z.string(),
    devType: z.string(),
    devFavorite: Flag,
    devStatus: DeviceStatus,
  })
  .meta({ id: 'DeviceSummary' });
export type DeviceSummary = z.infer<typeof DeviceSummary>;
export const SUMMARY_COLUMNS = Object.keys(DeviceSummary.shape) as (keyof DeviceSummary)[];

export function summaryOf(device: DeviceRecord): DeviceSummary {
  return {
    devName: device.devName,
    devMAC: device.devMac,
    devIP: device.devLastIP,
    devType: device.devType,
    devFavorite: device.devFavorite,
    devStatus: statusOf(device),
  };
}

export const StatusFilter = z.enum(STATUS_FILTERS);
export type StatusFilter = z.infer<typeof StatusFilter>;

export type CategoryCounts = Readonly<Record<Category, number>>;

/** The number of devices in each category, from the totals in their order. */
export function categoryCounts(totals: readonly number[]): CategoryCounts {
  const [my = 0, online = 0, favorites = 0, newOnes = 0, down = 0, archived = 0] = totals;
  return { my, online, offline: my - online, down, new: newOnes, favorites, archived };
}

export { UNKNOWN_NAMES } from './words.ts';
