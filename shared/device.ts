/** A device of a site's collection: its record, and the values that follow from it. */
import * as z from 'zod';

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
};
export type FieldKind = keyof typeof KINDS;

/**
 * Every field of a device. A new field needs only a line here: the schema, the stored row, the columns of a full export
 * and of an import follow from it. The order is that of the values in stored rows and of the columns in a full export,
 * so new fields are added at the end, and none is ever removed or moved.
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
} as const satisfies Record<string, FieldKind>;
type FieldKinds = typeof DEVICE_FIELD_KINDS;
export type DeviceField = keyof FieldKinds;

export const DEVICE_FIELDS = Object.keys(DEVICE_FIELD_KINDS) as DeviceField[];

type RecordShape = { -readonly [Field in DeviceField]: (typeof KINDS)[FieldKinds[Field]] };

/** All fields of a device. */
export const DeviceRecord = z
  .object(Object.fromEntries(DEVICE_FIELDS.map((field) => [field, KINDS[DEVICE_FIELD_KINDS[field]]])) as RecordShape)
  .meta({ id: 'DeviceRecord' });
export type DeviceRecord = z.infer<typeof DeviceRecord>;

/** A device without any known value. */
export const BLANK_DEVICE = Object.freeze(
  Object.fromEntries(DEVICE_FIELDS.map((field) => [field, DEVICE_FIELD_KINDS[field] === 'flag' ? 0 : ''])),
) as DeviceRecord;

/** The WAN side of a site's router, which has no MAC of its own. Accepted as a device and as a parent. */
export const INTERNET = 'Internet';

export const DeviceStatus = z.enum(['archived', 'online', 'down', 'offline']);
export type DeviceStatus = z.infer<typeof DeviceStatus>;

/** The state of a device as one word. Archived takes precedence; "new" is a separate flag. */
export function statusOf(device: DeviceRecord): DeviceStatus {
  if (device.devIsArchived === 1) return 'archived';
  if (device.devPresentLastScan === 1) return 'online';
  return device.devAlertDown === 1 ? 'down' : 'offline';
}

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

/** The categories by which devices are counted and listed. All numbers and lists use these predicates. */
const notArchived = (device: DeviceRecord) => device.devIsArchived === 0;
const CATEGORIES = {
  my: notArchived,
  online: (device) => notArchived(device) && device.devPresentLastScan === 1,
  offline: (device) => notArchived(device) && device.devPresentLastScan === 0,
  favorites: (device) => notArchived(device) && device.devFavorite === 1,
  new: (device) => notArchived(device) && device.devIsNew === 1,
  down: (device) => notArchived(device) && device.devPresentLastScan === 0 && device.devAlertDown === 1,
  archived: (device) => !notArchived(device),
} satisfies Record<string, (device: DeviceRecord) => boolean>;

export type Category = keyof typeof CATEGORIES;

export function inCategory(category: Category, device: DeviceRecord): boolean {
  return CATEGORIES[category](device);
}

/** Values of `status` in the by-status list: the categories, and two names that other systems use for them. */
export const StatusFilter = z.enum([
  'online',
  'offline',
  'down',
  'archived',
  'favorites',
  'new',
  'my',
  'connected',
  'all',
]);
export type StatusFilter = z.infer<typeof StatusFilter>;

export function categoryOf(filter: StatusFilter): Category {
  if (filter === 'connected') return 'online';
  return filter === 'all' ? 'my' : filter;
}

/** The categories of the totals, in the order of the response. */
export const TOTALS_ORDER = ['my', 'online', 'favorites', 'new', 'down', 'archived'] as const satisfies Category[];

/** Names that discovery gives to a device whose name it could not find. */
export const UNKNOWN_NAMES: readonly string[] = ['(unknown)', '(name not found)'];
