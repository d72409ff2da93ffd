/** The order of devices, as `GET /devices?sort=` has it: both sources of the list must show the same. */
import type { DeviceSort, SortColumn } from '../../../shared/api/device-list.ts';
import type { DeviceStatus } from '../../../shared/device.ts';
import { statusOf } from '../../../shared/device-status.ts';
import { type Device, hasMac, isSeenNow } from './device.ts';

/** Devices without a value in the column come last in both directions, and equal ones in the order of their keys. */
export function sortDevices(devices: readonly Device[], sort: DeviceSort): Device[] {
  const name = columnOf(sort);
  const direction = sort === name ? 1 : -1;
  const column = COLUMNS[name];
  const placed = devices.map((device) => ({ device, value: column.valueOf(device) }));
  placed.sort((a, b) => {
    if (a.value === '' || b.value === '') {
      if (a.value !== b.value) return a.value === '' ? 1 : -1;
    } else {
      const difference = direction * column.compare(a.value, b.value);
      if (difference !== 0) return difference;
    }
    return byCodeUnits(a.device.key, b.device.key);
  });
  return placed.map(({ device }) => device);
}

export function columnOf(sort: DeviceSort): SortColumn {
  return (sort.startsWith('-') ? sort.slice(1) : sort) as SortColumn;
}

/** Null for a text that names no order. */
export function parseSort(text: string | null): DeviceSort | null {
  const name = text?.startsWith('-') ? text.slice(1) : text;
  return name !== null && name !== undefined && Object.hasOwn(COLUMNS, name) ? (text as DeviceSort) : null;
}

interface Column {
  valueOf(device: Device): string;
  compare(a: string, b: string): number;
}

const SORTED_CHARACTERS = 64;
const STATUS_PLACES: Record<DeviceStatus, string> = { down: '0', offline: '1', online: '2', archived: '3' };
const texts = new Intl.Collator('en', { numeric: true });

const COLUMNS: Readonly<Record<SortColumn, Column>> = {
  mac: { valueOf: ({ key }) => (hasMac(key) ? key : ''), compare: byCodeUnits },
  name: textColumn(({ devName }) => devName),
  ip: { valueOf: ({ devLastIP }) => comparableAddress(devLastIP), compare: byCodeUnits },
  type: textColumn(({ devType }) => devType),
  vendor: textColumn(({ devVendor }) => devVendor),
  group: textColumn(({ devGroup }) => devGroup),
  status: { valueOf: (device) => STATUS_PLACES[statusOf(device)], compare: byCodeUnits },
  // One that is seen now stands behind every time.
  lastConnection: {
    valueOf: (device) => (isSeenNow(device) ? 'now' : device.devLastConnection),
    compare: byCodeUnits,
  },
  firstConnection: { valueOf: ({ devFirstConnection }) => devFirstConnection, compare: byCodeUnits },
};

function textColumn(textOf: (device: Device) => string): Column {
  return {
    valueOf: (device) => textOf(device).slice(0, SORTED_CHARACTERS),
    compare: (a, b) => (a === b ? 0 : texts.compare(a, b)),
  };
}

/** As text of a fixed length for each family, IPv4 first. Addresses of devices are in canonical form. */
function comparableAddress(text: string): string {
  if (text === '') return '';
  if (text.includes(':')) return 6 + ipv6Digits(text.split('%', 1)[0] ?? '');
  const number = text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  return Number.isNaN(number) ? 9 + text.slice(0, SORTED_CHARACTERS) : 4 + number.toString(16).padStart(8, '0');
}

function ipv6Digits(address: string): string {
  const [head = [], tail = []] = address.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('');
  return [...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join('');
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
