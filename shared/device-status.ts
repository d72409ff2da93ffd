/** The status and the categories of a device, from its flags. Without zod, for web pages. */
import type { STATUS_FILTERS } from './words.ts';

/** The flags that decide. */
export type Device = Readonly<
  Record<'devIsArchived' | 'devPresentLastScan' | 'devAlertDown' | 'devFavorite' | 'devIsNew', 0 | 1>
>;

export const DEVICE_STATUSES = ['archived', 'online', 'down', 'offline'] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

/** The state of a device as one word. Archived takes precedence; "new" is a separate flag. */
export function statusOf(device: Device): DeviceStatus {
  if (device.devIsArchived === 1) return 'archived';
  if (device.devPresentLastScan === 1) return 'online';
  return device.devAlertDown === 1 ? 'down' : 'offline';
}

/** The categories by which devices are counted and listed. All numbers and lists use these predicates. */
const notArchived = (device: Device) => device.devIsArchived === 0;
const CATEGORIES = {
  my: notArchived,
  online: (device) => notArchived(device) && device.devPresentLastScan === 1,
  offline: (device) => notArchived(device) && device.devPresentLastScan === 0,
  favorites: (device) => notArchived(device) && device.devFavorite === 1,
  new: (device) => notArchived(device) && device.devIsNew === 1,
  down: (device) => notArchived(device) && device.devPresentLastScan === 0 && device.devAlertDown === 1,
  archived: (device) => !notArchived(device),
} satisfies Record<string, (device: Device) => boolean>;

/** The categories that agents determine: known only of devices that an agent monitors. */
export const SEEN_CATEGORIES = ['online', 'offline', 'down'] as const;

export type Category = keyof typeof CATEGORIES;

export function inCategory(category: Category, device: Device): boolean {
  return CATEGORIES[category](device);
}

export function categoryOf(filter: (typeof STATUS_FILTERS)[number]): Category {
  if (filter === 'connected') return 'online';
  return filter === 'all' ? 'my' : filter;
}
