/** A device as the list has it. */
import type * as z from 'zod';
import type { ListedDevice } from '../../../shared/api/device-list.ts';
import type { EditableField } from '../../../shared/device.ts';
import { statusOf } from '../../../shared/device-status.ts';
import { calledText } from '../../text/called.ts';

export type Device = z.infer<typeof ListedDevice>;

/** The fields that an edit sets. */
export type Edit = Partial<Pick<Device, EditableField>>;

/** Whether an agent sees it at this moment: then that is when it was seen last. */
export function isSeenNow(device: Device): boolean {
  return device.watch.state === 'watched' && statusOf(device) === 'online';
}

/** What the device is called. */
export function titleOf(device: Device): string {
  return calledText(device) || device.devLastIP || device.devMac;
}

/** Keys of devices without MAC begin like this. */
export function hasMac(key: string): boolean {
  return !key.startsWith('~');
}

/** The address of its page. */
export function pathOf(site: string, { key }: Pick<Device, 'key'>): string {
  return `/sites/${site}/devices/${encodeURIComponent(key)}`;
}
