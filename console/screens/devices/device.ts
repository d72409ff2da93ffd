/** A device as the list has it. */
import type * as z from 'zod';
import type { ListedDevice } from '../../../shared/api/device-list.ts';
import type { DeviceStatus } from '../../../shared/device.ts';
import type { Tone } from '../../ui/status.tsx';

export type Device = z.infer<typeof ListedDevice>;

export const TONES = {
  online: 'good',
  down: 'bad',
  offline: 'calm',
  archived: 'calm',
} as const satisfies Record<DeviceStatus, Tone>;

/** What stands for the device where it has no name. */
export function titleOf({ devName, devLastIP, devMac }: Device): string {
  return devName || devLastIP || devMac;
}

/** Keys of devices without MAC begin like this. */
export function hasMac(key: string): boolean {
  return !key.startsWith('~');
}
