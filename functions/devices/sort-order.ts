/** The orders in which devices are listed. */
import { isIPv4 } from 'node:net';
import { DEFAULT_SORT, type DeviceSort, type SortColumn, STATUS_ORDER } from '../../shared/api/device-list.ts';
import { type DeviceRecord, statusOf, UNKNOWN_NAMES } from '../../shared/device.ts';
import { type Grouping, groupOf } from '../../shared/device-groups.ts';
import { parseIp } from '../../shared/network.ts';
import { sortedInSlices } from '../table/slices.ts';
import { NOT_WATCHED, type SiteWatch } from './collection/coverage-row.ts';
import { type StoredDevice, WITHOUT_MAC } from './collection/device-codec.ts';

/** By the value in the sorted column, last if that is empty; then by key, so that no two devices have the same place. */
export interface Place {
  /** Compared first; empty without grouping, or for devices without a group. */
  group: string;
  value: string;
  key: string;
}

interface DeviceOrder {
  placeOf(device: StoredDevice): Place;
  /** Negative when the first place comes before the second. */
  compare(a: Place, b: Place): number;
}

/** @param watch one that is seen now was seen last */
export function orderOf(
  sort: DeviceSort = DEFAULT_SORT,
  watch: SiteWatch = NOT_WATCHED,
  groupBy?: Grouping,
): DeviceOrder {
  const name = (sort.startsWith('-') ? sort.slice(1) : sort) as SortColumn;
  const direction = sort === name ? 1 : -1;
  const column = COLUMNS[name];
  return {
    placeOf: (device) => ({
      group: groupBy === undefined ? '' : groupOf(groupBy, device.record),
      value: column.valueOf(device, watch),
      key: device.key,
    }),
    compare(a, b) {
      if (a.group !== b.group) return compareGroups(a.group, b.group);
      if (a.value === '' || b.value === '') {
        if (a.value !== b.value) return a.value === '' ? 1 : -1;
        return byCodeUnits(a.key, b.key);
      }
      return direction * column.compare(a.value, b.value) || byCodeUnits(a.key, b.key);
    },
  };
}

/** No group comes last. Values that the collator treats as equal differ, so that no two groups are mixed. */
export function compareGroups(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return compareTexts(a, b) || byCodeUnits(a, b);
}

/** Keeps the first devices in an order, of those that are added one by one. */
export class FirstInOrder {
  readonly #order: DeviceOrder;
  readonly #limit: number;
  #kept: Placed[] = [];
  /** A device that does not come before it is not among the first. */
  #last: Place | null = null;

  constructor(order: DeviceOrder, limit: number) {
    this.#order = order;
    this.#limit = limit;
  }

  add(device: StoredDevice, place: Place): void {
    if (this.#last !== null && this.#order.compare(place, this.#last) >= 0) return;
    this.#kept.push({ ...place, device });
  }

  /** Drops the devices beyond the limit, once they are many. */
  async trim(): Promise<void> {
    if (this.#kept.length < 2 * this.#limit) return;
    this.#kept = (await sortedInSlices(this.#kept, this.#order.compare)).slice(0, this.#limit);
    this.#last = this.#kept.at(-1) ?? null;
  }

  async sorted(): Promise<StoredDevice[]> {
    const sorted = await sortedInSlices(this.#kept, this.#order.compare);
    return sorted.slice(0, this.#limit).map(({ device }) => device);
  }
}

interface Placed extends Place {
  device: StoredDevice;
}

/** A column to sort by: the value of a device, in a form for `compare`. */
interface Column {
  valueOf(device: StoredDevice, watch: SiteWatch): string;
  compare(a: string, b: string): number;
}

/** Characters that count for sorting; texts can have 4,000, too many for the cursor in a URL. Equal ones are in no order. */
const SORTED_CHARACTERS = 64;

/** Created on first use: that takes longer than comparing thousands of texts, and than loading the rest of this folder. */
let texts: Intl.Collator | undefined;
export function compareTexts(a: string, b: string): number {
  texts ??= new Intl.Collator('en', { numeric: true });
  return texts.compare(a, b);
}

export const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts after every time. */
const NOW = 'now';

const COLUMNS: Readonly<Record<SortColumn, Column>> = {
  mac: { valueOf: ({ key }) => (key.startsWith(WITHOUT_MAC) ? '' : key), compare: byCodeUnits },
  // Devices without a name last.
  name: textColumn(({ devName }) => (UNKNOWN_NAMES.includes(devName) ? '' : devName)),
  ip: { valueOf: ({ record }) => comparableAddress(record.devLastIP), compare: byCodeUnits },
  type: textColumn(({ devType }) => devType),
  vendor: textColumn(({ devVendor }) => devVendor),
  group: textColumn(({ devGroup }) => devGroup),
  status: { valueOf: ({ record }) => String(STATUS_ORDER.indexOf(statusOf(record))), compare: byCodeUnits },
  lastConnection: {
    valueOf: (device, watch) => (watch.seesNow(device) ? NOW : device.record.devLastConnection),
    compare: byCodeUnits,
  },
  firstConnection: { valueOf: ({ record }) => record.devFirstConnection, compare: byCodeUnits },
};

function textColumn(textOf: (record: DeviceRecord) => string): Column {
  return {
    valueOf: ({ record }) => textOf(record).slice(0, SORTED_CHARACTERS),
    compare: (a, b) => (a === b ? 0 : compareTexts(a, b)),
  };
}

/** As text of fixed length for each family, so that the order of code units is the numerical one. */
function comparableAddress(text: string): string {
  if (text === '') return '';
  // Most are IPv4; plain numbers are several times as fast as large integers.
  if (isIPv4(text)) {
    const number = text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
    return 4 + number.toString(16).padStart(8, '0');
  }
  const address = parseIp(text);
  if (address === null) return 9 + text.slice(0, SORTED_CHARACTERS); // Stored rows are not validated when they are read.
  return 6 + address.value.toString(16).padStart(32, '0');
}
