/**
 * The groups in which devices are listed. Without schemas, so that a page in a browser, which shows the headings, can use it
 * without loading zod.
 */
import type { DeviceRecord } from './device.ts';

export const GROUPINGS = ['type', 'group', 'location', 'parent', 'subnet'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Characters of a value that count: a cursor, which contains them, is a part of an address. */
const GROUP_CHARACTERS = 64;

/** Devices with the same value are one group; empty for those that have none. */
export function groupOf(
  by: Grouping,
  device: Pick<DeviceRecord, 'devType' | 'devGroup' | 'devLocation' | 'devParentMAC' | 'devLastIP'>,
): string {
  return fieldOf(by, device).slice(0, GROUP_CHARACTERS);
}

function fieldOf(by: Grouping, device: Parameters<typeof groupOf>[1]): string {
  switch (by) {
    case 'type':
      return device.devType;
    case 'group':
      return device.devGroup;
    case 'location':
      return device.devLocation;
    case 'parent':
      return device.devParentMAC;
    case 'subnet':
      return subnetOf(device.devLastIP);
  }
}

/** Of IPv4 the network of 256 addresses, as most LANs are. Those with IPv6 alone are one group. */
function subnetOf(address: string): string {
  if (address.includes(':')) return 'IPv6';
  const end = address.lastIndexOf('.');
  return end === -1 ? '' : `${address.slice(0, end)}.0/24`;
}
