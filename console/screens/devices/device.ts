/** A device as the list has it. */
import type * as z from 'zod';
import type { ListedDevice } from '../../../shared/api/device-list.ts';
import type { EditableField } from '../../../shared/device.ts';
import { statusOf } from '../../../shared/device-status.ts';
import { calledText } from '../../text/called.ts';

export type Device = z.infer<typeof ListedDevice>;

export type Edit = Partial<Pick<Device, EditableField>>;

/** As the marks of the state take it. */
export const stateOf = (device: Device) => ({ status: statusOf(device), watch: device.watch });

/** Whether an agent sees it at this moment, which is then its last connection. */
export function isSeenNow(device: Device): boolean {
  return device.watch.state === 'watched' && statusOf(device) === 'online';
}

export function titleOf(device: Device): string {
  return calledText(device) || device.devLastIP || device.devMac;
}

/** Keys of devices without MAC begin with a tilde. */
export function isMac(key: string): boolean {
  return !key.startsWith('~');
}

/** The address of its page. */
export function pathOf(site: string, { key }: Pick<Device, 'key'>): string {
  return `/sites/${site}/devices/${encodeURIComponent(key)}`;
}
