/** The orders in which devices are listed. */
import { isIPv4 } from 'node:net';
import { DEFAULT_SORT, type DeviceSort, type SortColumn, STATUS_ORDER } from '../../shared/api/device-list.ts';
import { type DeviceRecord, statusOf, UNKNOWN_NAMES } from '../../shared/device.ts';
import { type Grouping, groupOf } from '../../shared/device-groups.ts';
import { parseIp } from '../../shared/network.ts';
import { sortedInSlices } from '../table/slices.ts';
import { NOT_WATCHED, type SiteWatch } from './collection/coverage-row.ts';
import { type StoredDevice, WITHOUT_MAC } from './collection/device-codec.ts';

/**
 * Where a device stands in an order: by its value in the sorted column, or behind all others if that is empty. Devices
 * with equal values stand in the order of their keys, so that no two have the same place.
 */
export interface Place {
  /** Before all else, the group: empty, where devices are not grouped, or for one of none. */
  group: string;
  value: string;
  key: string;
}

interface DeviceOrder {
  placeOf(device: StoredDevice): Place;
  /** Negative when the first place is in front of the second. */
  compare(a: Place, b: Place): number;
}

/**
 * @param watch how the devices are watched: one that is seen now was seen last
 * @param groupBy in which groups they are
 */
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

/** Those of none last. Values that are equal as texts are not, so that no two groups are mixed. */
export function compareGroups(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return compareTexts(a, b) || byCodeUnits(a, b);
}

/** Takes devices one by one, and keeps those that come first in an order. */
export class FirstInOrder {
  readonly #order: DeviceOrder;
  readonly #limit: number;
  #kept: Placed[] = [];
  /** What does not stand in front of it is not among the first. */
  #last: Place | null = null;

  constructor(order: DeviceOrder, limit: number) {
    this.#order = order;
    this.#limit = limit;
  }

  add(device: StoredDevice, place: Place): void {
    if (this.#last !== null && this.#order.compare(place, this.#last) >= 0) return;
    this.#kept.push({ ...place, device });
  }

  /** Forgets what is not among the first, if that has become much. */
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

/** A column by which devices can be sorted: the value of a device in it, in a form that `compare` understands. */
interface Column {
  valueOf(device: StoredDevice, watch: SiteWatch): string;
  compare(a: string, b: string): number;
}

/**
 * Characters of a text by which it is sorted. A text can have 4,000, and a cursor, which contains it, is a part of an
 * address. Texts that differ only behind them are equal in the order.
 */
const SORTED_CHARACTERS = 64;

/**
 * Created once, because that takes longer than comparing thousands of texts; and not before a list is sorted by one,
 * because it takes longer than the rest of this folder takes to load.
 */
let texts: Intl.Collator | undefined;
function compareTexts(a: string, b: string): number {
  texts ??= new Intl.Collator('en', { numeric: true });
  return texts.compare(a, b);
}

/** Behind every time. */
const NOW = 'now';

const COLUMNS: Readonly<Record<SortColumn, Column>> = {
  mac: { valueOf: ({ key }) => (key.startsWith(WITHOUT_MAC) ? '' : key), compare: byCodeUnits },
  // Those without a name last.
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

/** As text of a fixed length for each family, so that the order of code units is that of the numbers. */
function comparableAddress(text: string): string {
  if (text === '') return '';
  // Most are IPv4, for which plain numbers do: parsing into large integers takes several times as long.
  if (isIPv4(text)) {
    const number = text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
    return 4 + number.toString(16).padStart(8, '0');
  }
  const address = parseIp(text);
  if (address === null) return 9 + text.slice(0, SORTED_CHARACTERS); // A stored row is not checked when it is read.
  return 6 + address.value.toString(16).padStart(32, '0');
}
function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
