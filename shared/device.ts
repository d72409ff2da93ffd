/** A device of a site's collection: its record, and what the record says about the device. */
import * as z from 'zod';

const Flag = z.union([z.literal(0), z.literal(1)]);

/** UTC, `YYYY-MM-DD HH:MM:SS`; empty when it never happened. */
const Time = z.string().regex(/^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?$/);

/** Everything that is known of one device. The order of the fields is the order of columns in a full export. */
export const DeviceRecord = z
  .object({
    devMac: z.string().meta({ description: '`AA:BB:CC:DD:EE:FF`, the word `Internet`, or empty.' }),
    devName: z.string(),
    devLastIP: z.string().meta({ description: 'IPv4 or IPv6 address in canonical form, or empty.' }),
    devType: z.string(),
    devVendor: z.string(),
    devFavorite: Flag,
    devIsNew: Flag,
    devIsArchived: Flag,
    devAlertDown: Flag,
    devPresentLastScan: Flag,
    devFirstConnection: Time,
    devLastConnection: Time,
    devParentMAC: z.string(),
    devParentPort: z.string(),
    devOwner: z.string(),
    devGroup: z.string(),
    devLocation: z.string(),
    devComments: z.string(),
    devSite: z.string(),
  })
  .meta({ id: 'DeviceRecord' });
export type DeviceRecord = z.infer<typeof DeviceRecord>;
export type DeviceField = keyof DeviceRecord;

export const DEVICE_FIELDS = Object.keys(DeviceRecord.shape) as DeviceField[];

/** The WAN side of a site's router, which has no MAC of its own. Accepted as a device and as a parent. */
export const INTERNET = 'Internet';

export const DeviceStatus = z.enum(['archived', 'online', 'down', 'offline']);
export type DeviceStatus = z.infer<typeof DeviceStatus>;

/** The one word for a device's state. Archived outweighs everything; "new" is a flag beside it, not a state. */
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

/** The categories devices are counted and listed by. Every number and every list comes from these predicates. */
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

/** What `status` may say in the by-status list: the categories, and two names that other systems use for them. */
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

/** The categories of the totals, in the order of the answer. */
export const TOTALS_ORDER = ['my', 'online', 'favorites', 'new', 'down', 'archived'] as const satisfies Category[];

/** Names that discovery gives to a device it could not name. */
export const UNKNOWN_NAMES: readonly string[] = ['(unknown)', '(name not found)'];
