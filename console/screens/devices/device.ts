/**
 * A device as the list has it, and what follows from its fields. The rules are those of shared/device.ts, written down
 * once more because that file would bring zod along; device.test.ts compares them.
 */
import type * as z from 'zod';
import type { ListedDevice } from '../../../shared/api/device-list.ts';
import type { Category, DeviceStatus } from '../../../shared/device.ts';
import type { Tone } from '../../ui/status.tsx';

export type Device = z.infer<typeof ListedDevice>;

export function statusOf(device: Device): DeviceStatus {
  if (device.devIsArchived === 1) return 'archived';
  if (device.devPresentLastScan === 1) return 'online';
  return device.devAlertDown === 1 ? 'down' : 'offline';
}

export const TONES = {
  online: 'good',
  down: 'bad',
  offline: 'calm',
  archived: 'calm',
} as const satisfies Record<DeviceStatus, Tone>;

export function inCategory(category: Category, device: Device): boolean {
  if (category === 'archived') return device.devIsArchived === 1;
  return device.devIsArchived === 0 && CATEGORIES[category](device);
}

const CATEGORIES: Record<Exclude<Category, 'archived'>, (device: Device) => boolean> = {
  my: () => true,
  online: (device) => device.devPresentLastScan === 1,
  offline: (device) => device.devPresentLastScan === 0,
  down: (device) => device.devPresentLastScan === 0 && device.devAlertDown === 1,
  new: (device) => device.devIsNew === 1,
  favorites: (device) => device.devFavorite === 1,
};

/** What stands for the device where it has no name. */
export function titleOf({ devName, devLastIP, devMac }: Device): string {
  return devName || devLastIP || devMac;
}

/** Keys of devices without MAC begin like this. */
export function hasMac(key: string): boolean {
  return !key.startsWith('~');
}
