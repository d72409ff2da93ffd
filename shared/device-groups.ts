/** The groups in which devices are listed. Without zod, for web pages, which show the headings. */
import type { DeviceRecord } from './device.ts';

export const GROUPINGS = ['new', 'type', 'group', 'location', 'parent', 'subnet'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const FIELD = {
  new: 'devIsNew',
  type: 'devType',
  group: 'devGroup',
  location: 'devLocation',
  parent: 'devParentMAC',
  subnet: 'devLastIP',
} as const satisfies Record<Grouping, keyof DeviceRecord>;

/** Characters of a value that count: cursors contain them, and are part of a URL. */
const GROUP_CHARACTERS = 64;

/** Devices with the same value are one group; empty for devices without one. */
export function groupOf(by: Grouping, device: Pick<DeviceRecord, (typeof FIELD)[Grouping]>): string {
  if (by === 'new') return device.devIsNew === 1 ? 'new' : '';
  const value = device[FIELD[by]];
  return (by === 'subnet' ? subnetOf(value) : value).slice(0, GROUP_CHARACTERS);
}

/** Of IPv4 the network of 256 addresses, as most LANs are. Devices with IPv6 alone are one group. */
function subnetOf(address: string): string {
  if (address.includes(':')) return 'IPv6';
  const end = address.lastIndexOf('.');
  return end === -1 ? '' : `${address.slice(0, end)}.0/24`;
}
