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
  mac: z.string().meta({ description: '`AA:BB:CC:DD:EE:FF`, the word `Internet`, or empty.' }),
  parent: z.string().meta({ description: 'The MAC of another device, the word `Internet`, or empty.' }),
  address: z.string().meta({ description: 'IPv4 or IPv6 address in canonical form, or empty.' }),
  flag: Flag,
  /** UTC, `YYYY-MM-DD HH:MM:SS`; empty when it never happened. */
  time: z.string().regex(/^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?$/),
  text: z.string(),
  /** A short text, such as a DNS name, that means something else when it is cut. */
  label: z.string(),
  /** IPv4 and IPv6 addresses in canonical form, separated by commas. */
  addresses: z.string(),
  /** A text in an encoding, such as base64, that cannot be read any more when it is cut. */
  encoded: z.string(),
};
export type FieldKind = keyof typeof KINDS;

/**
 * Most characters (UTF-16 code units) of a value. Together with the bounds of the extra columns they keep a device below
 * the 400 KB of an item in DynamoDB, even if JSON writes every character in six bytes.
 */
export const MAX_LENGTHS = { text: 4_000, label: 255, addresses: 650, encoded: 4_000 } as const satisfies Partial<
  Record<FieldKind, number>
>;

/**
 * Every field of a device. A line here is all that a new field needs: the schema, the stored row, the columns of a full
 * export and what an import accepts follow from it. The order is that of the values in stored rows and of the columns in
 * a full export, so new fields go to the end, and none is ever removed or moved. Which columns of NetAlertX are fields,
 * and why, stands in docs/decisions/006-columns-of-other-systems.md.
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
  /** Whether the device made its MAC up, as phones do for their privacy. */
  devRandomMAC: 'flag',
  /** Every address by which it was seen last, separated by commas; empty when there is one, which is devLastIP. */
  devAddresses: 'addresses',
  /** What it claims and another device claims too, in words; empty when nobody does. */
  devConflict: 'label',
  /** What it is called by its maker, such as `HL-L2350DW`. */
  devModel: 'label',
  /** Other MACs of the same device, the latest first, separated by commas: those that a person has joined with this one. */
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

/** What an extra column may be called. Letter case counts; a name that a field has in any letter case means the field. */
export const ExtraName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][\w-]*$/);

/**
 * What an import said of a device in columns that are no fields: name of the column → text, never empty. The names are in
 * the order of their code units, so that equal contents are equal as JSON.
 */
export const Extra = z.record(ExtraName, z.string().min(1).max(MAX_EXTRA_VALUE)).meta({
  description: 'What an import said in columns that are no fields: name of the column → text.',
});
export type Extra = Readonly<z.infer<typeof Extra>>;

/** No extra columns: one object for all devices without them, because a collection can have 100,000 of those. */
export const NO_EXTRA: Extra = Object.freeze({});

/** Everything that is known of one device. */
export const DeviceRecord = FieldsOnly.extend({ extra: Extra.readonly() }).meta({ id: 'DeviceRecord' });
export type DeviceRecord = z.infer<typeof DeviceRecord>;

/** A device as a row of a table: its fields, and each of its extra columns beside them. */
export const DeviceRow = FieldsOnly.catchall(z.string()).meta({ id: 'DeviceRow' });

/** A device of which nothing is known. */
export const BLANK_DEVICE: Readonly<DeviceRecord> = Object.freeze({
  ...(Object.fromEntries(
    DEVICE_FIELDS.map((field) => [field, DEVICE_FIELD_KINDS[field] === 'flag' ? 0 : '']),
  ) as DeviceFields),
  extra: NO_EXTRA,
});

/** Whether both say the same of a device. */
export function sameRecord(a: DeviceRecord, b: DeviceRecord): boolean {
  return DEVICE_FIELDS.every((field) => a[field] === b[field]) && sameExtra(a.extra, b.extra);
}

function sameExtra(a: Extra, b: Extra): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
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

/**
 * What is observed on the network, whoever writes it down. It changes by itself, so that an import of such a value does
 * not make it a person's word, which discovery would have to leave alone.
 */
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

/** Other MACs of one device. One seen more than a year ago is forgotten, and so is the one not seen for longest where there are more. */
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

/** Values of `status` in the by-status list: the categories, and two names that other systems use for them. */
export const StatusFilter = z.enum(STATUS_FILTERS);
export type StatusFilter = z.infer<typeof StatusFilter>;

export type CategoryCounts = Readonly<Record<Category, number>>;

/** How many devices each category has, from the totals in their order. Who is neither archived nor online is offline. */
export function categoryCounts(totals: readonly number[]): CategoryCounts {
  const [my = 0, online = 0, favorites = 0, newOnes = 0, down = 0, archived = 0] = totals;
  return { my, online, offline: my - online, down, new: newOnes, favorites, archived };
}

export { UNKNOWN_NAMES } from './words.ts';
