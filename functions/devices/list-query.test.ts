import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeviceSort, MAX_FACET_VALUES, MAX_FILTER_LENGTH } from '../../shared/api/device-list.ts';
import { devices as operations } from '../../shared/api/devices.ts';
import {
  BLANK_DEVICE,
  categoryOf,
  type DeviceRecord,
  inCategory,
  StatusFilter,
  statusOf,
} from '../../shared/device.ts';
import { type Grouping, groupOf } from '../../shared/device-groups.ts';
import { SiteWatch } from './collection/coverage-row.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { Snapshot } from './collection/snapshot.ts';
import { facetsOf } from './facets.ts';
import { type DeviceQuery, devicePage, findDevices } from './list-query.ts';

const LONG = 'x'.repeat(70);
const NAMES = ['', 'nas', 'NAS', 'nas 2', 'nas 10', 'Ärger', 'zebra', '\u0000', `${LONG}1`, `${LONG}2`];
const LABELS = ['', 'NAS', 'nas', 'Camera', 'lab'];
const IPV4 = ['9.9.9.9', '10.0.0.2', '10.0.0.10', '192.168.1.1'];
const ADDRESSES = ['', ...IPV4, 'fd00::2', 'fd00::10', 'fe80::1%eth0', 'junk'];
const SUBNETS = ['9.9.9.0/24', '10.0.0.0/24', '192.168.1.0/24', 'IPv6', ''];
const TIMES = ['', '2026-01-02 03:04:05', '2026-11-01 00:00:00'];

const record = fc.record({
  devName: fc.constantFrom(...NAMES),
  devType: fc.constantFrom(...LABELS),
  devGroup: fc.constantFrom(...LABELS),
  devVendor: fc.constantFrom(...LABELS),
  devModel: fc.constantFrom(...LABELS),
  devLastIP: fc.constantFrom(...ADDRESSES),
  devLastConnection: fc.constantFrom(...TIMES),
  devFirstConnection: fc.constantFrom(...TIMES),
  devPresentLastScan: fc.constantFrom(0, 1),
  devIsArchived: fc.constantFrom(0, 1),
  devAlertDown: fc.constantFrom(0, 1),
  devIsNew: fc.constantFrom(0, 1),
  devFavorite: fc.constantFrom(0, 1),
});
/** Devices with a MAC, `Internet`, and devices without one. */
const collection = fc
  .uniqueArray(fc.tuple(fc.nat(99), record), { selector: ([n]) => n, maxLength: 40 })
  .map((numbered) => snapshotOf(numbered.map(([n, fields]) => device(n, fields as Partial<DeviceRecord>))));
const label = fc.option(fc.constantFrom(...LABELS, 'none has it'), { nil: undefined });
const query: fc.Arbitrary<DeviceQuery> = fc.record({
  status: fc.option(fc.constantFrom(...StatusFilter.options), { nil: undefined }),
  text: fc.option(fc.constantFrom('na', 'AS 1', '10.', 'BB-0', 'xx', '00:1e:06'), { nil: undefined }),
  type: label,
  group: label,
  vendor: label,
  model: label,
  watch: fc.option(fc.constantFrom('watched', 'unknown'), { nil: undefined }),
  sort: fc.option(fc.constantFrom(...DeviceSort.options), { nil: undefined }),
  groupBy: fc.option(fc.constantFrom('type', 'subnet', 'new'), { nil: undefined }),
});
/** Of the addresses, those that begin with `10.0.0.` are watched. */
const WATCH = new SiteWatch({ watched: ['10.0.0.0/24'], ended: new Map([['192.168.1.0/24', 0]]) });
const isWatched = ({ record }: StoredDevice) => record.devLastIP.startsWith('10.0.0.');
/** Sizes of the pages, one after the other and over again. */
const limits = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 4 });

function device(n: number, fields: Partial<DeviceRecord>): StoredDevice {
  const digits = String(n).padStart(2, '0');
  const devMac = n === 0 ? 'Internet' : n % 5 === 0 ? '' : `00:1E:06:AA:BB:${digits}`;
  return { key: devMac === '' ? `~${digits}` : devMac, record: { ...BLANK_DEVICE, ...fields, devMac } };
}

function snapshotOf(devices: StoredDevice[], version = 1): Snapshot {
  const sorted = devices.sort((a, b) => (a.key < b.key ? -1 : 1));
  return new Snapshot('home', version, sorted);
}

const STATUSES = ['down', 'offline', 'online', 'archived'];
const people = new Intl.Collator('en', { numeric: true }).compare;
const asText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const beginning = (text: string) => text.slice(0, 64);
/** What a device is sorted by, and how: written down once more, in the plainest way. */
const REFERENCE: Record<string, [(one: StoredDevice) => string, (a: string, b: string) => number]> = {
  mac: [({ record }) => record.devMac, asText],
  name: [({ record }) => beginning(record.devName), people],
  ip: [({ record }) => record.devLastIP, (a, b) => ADDRESSES.indexOf(a) - ADDRESSES.indexOf(b)],
  type: [({ record }) => record.devType, people],
  vendor: [({ record }) => record.devVendor, people],
  group: [({ record }) => record.devGroup, people],
  status: [({ record }) => statusOf(record), (a, b) => STATUSES.indexOf(a) - STATUSES.indexOf(b)],
  lastConnection: [
    (one) => (isWatched(one) && statusOf(one.record) === 'online' ? '9999' : one.record.devLastConnection),
    asText,
  ],
  firstConnection: [({ record }) => record.devFirstConnection, asText],
};

/** Whether what is shown has the text, or each of its words; words as short as here mean no MAC. Only `BB-0` is in another notation. */
function contains(record: DeviceRecord, text: string): boolean {
  const { devName, devMac, devLastIP, devType, devGroup, devVendor, devModel } = record;
  const texts = [devName, devLastIP, devType, devGroup, devVendor, devModel];
  const has = (wanted: string, among = texts) => among.some((one) => one.toLowerCase().includes(wanted));
  const wanted = text.toLowerCase();
  return has(wanted, [devMac, devMac.replaceAll(':', '-'), ...texts]) || wanted.split(' ').every((word) => has(word));
}

/** The whole list that a query asks for. */
function expectedList(
  snapshot: Snapshot,
  { status, text, type, group, vendor, model, watch, sort = 'mac', groupBy }: DeviceQuery,
): StoredDevice[] {
  const [valueIn, compare] = REFERENCE[sort.replace('-', '')] ?? expect.fail(`no column ${sort}`);
  const found = snapshot.devices.filter((one) => {
    const { record } = one;
    return (
      (text === undefined || contains(record, text)) &&
      (status === undefined || inCategory(categoryOf(status), record)) &&
      (type === undefined || record.devType === type) &&
      (group === undefined || record.devGroup === group) &&
      (vendor === undefined || record.devVendor === vendor) &&
      (model === undefined || record.devModel === model) &&
      (watch === undefined || isWatched(one) === (watch === 'watched'))
    );
  });
  const filled = found.filter((one) => valueIn(one) !== '');
  const groups = groupBy === 'subnet' ? SUBNETS : ['new', 'Camera', 'lab', 'nas', 'NAS', ''];
  function inGroups(devices: StoredDevice[]) {
    if (groupBy === undefined) return devices;
    return groups.flatMap((value) => devices.filter(({ record }) => groupOf(groupBy, record) === value));
  }
  const sign = sort.startsWith('-') ? -1 : 1;
  filled.sort((a, b) => sign * compare(valueIn(a), valueIn(b))); // Stable: equal ones stay in the order of their keys.
  return inGroups([...filled, ...found.filter((one) => valueIn(one) === '')]);
}

function groupsOf(devices: readonly StoredDevice[], groupBy: Grouping) {
  const values = devices.map(({ record }) => groupOf(groupBy, record));
  return [...new Set(values)].map((value) => ({ value, count: values.filter((one) => one === value).length }));
}

const keysOf = (devices: readonly StoredDevice[]) => devices.map(({ key }) => key);
const names = (devices: readonly StoredDevice[]) => devices.map(({ record }) => record.devName);

test('the pages joined are the whole list, filtered and sorted, and each says how long that is', async () => {
  await fc.assert(
    fc.asyncProperty(collection, query, limits, async (snapshot, given, sizes) => {
      const expected = keysOf(expectedList(snapshot, given));
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let i = 0; ; i++) {
        const limit = sizes[i % sizes.length] ?? 1;
        const { page, total, groups, nextCursor } = await devicePage(snapshot, given, cursor, limit, { watch: WATCH });
        expect(total).toBe(expected.length);
        expect(groups).toEqual(given.groupBy && groupsOf(expectedList(snapshot, given), given.groupBy));
        seen.push(...keysOf(page));
        if (nextCursor === null) break;
        expect(page).toHaveLength(limit);
        expect(operations.listDevices.query.shape.cursor.safeParse(nextCursor).error).toBeUndefined();
        cursor = nextCursor;
      }
      expect(seen).toEqual(expected);
      expect(keysOf(await findDevices(snapshot, given, { watch: WATCH }))).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('devices that do not change are on exactly one page, whatever happens to the others in between', async () => {
  await fc.assert(
    fc.asyncProperty(collection, collection, query, limits, async (before, others, given, sizes) => {
      const isSteady = ({ key }: StoredDevice) => key.endsWith('3') || key.endsWith('5') || key.endsWith('8');
      const steady = before.devices.filter(isSteady);
      const after = snapshotOf([...steady, ...others.devices.filter((one) => !isSteady(one))], 2);
      const seen: StoredDevice[] = [];
      let cursor: string | undefined;
      for (let i = 0; ; i++) {
        const snapshot = i % 2 === 0 ? before : after;
        const limit = sizes[i % sizes.length];
        const { page, nextCursor } = await devicePage(snapshot, given, cursor, limit, { watch: WATCH });
        seen.push(...page);
        if (nextCursor === null) break;
        cursor = nextCursor;
      }
      const expected = expectedList(before, given).filter(isSteady);
      expect(keysOf(seen.filter(isSteady))).toEqual(keysOf(expected));
    }),
    { numRuns: 150 },
  );
});

test('names sort as people expect: without regard to case, numbers as numbers, devices without one last', async () => {
  const given = ['nas 10', 'Zebra', 'nas 9', '', 'ärger', 'NAS 9b', 'apple', '(unknown)'];
  const snapshot = snapshotOf(given.map((devName, i) => device(i + 1, { devName })));
  const sorted = ['apple', 'ärger', 'nas 9', 'NAS 9b', 'nas 10', 'Zebra'];
  expect(names(await findDevices(snapshot, { sort: 'name' }))).toEqual([...sorted, '', '(unknown)']);
  expect(names(await findDevices(snapshot, { sort: '-name' }))).toEqual([...sorted.reverse(), '', '(unknown)']);
});

describe('a cursor', () => {
  const FILTERS = 'status, text, type, group, vendor, model, watch, port and at';
  const snapshot = snapshotOf([1, 2, 3, 4].map((n) => device(n, { devName: `host ${n}`, devType: 'NAS' })));
  const cursorFor = async (given: DeviceQuery) => (await devicePage(snapshot, given, undefined, 2)).nextCursor ?? '';

  test.each<[DeviceQuery, DeviceQuery, string]>([
    [{}, { sort: '-mac' }, 'sort='],
    [{ sort: 'name' }, { sort: '-name' }, 'sort='],
    [{ sort: 'name' }, {}, 'sort='],
    [{}, { status: 'my' }, FILTERS],
    [{ type: 'NAS' }, {}, FILTERS],
    [{ type: 'NAS' }, { type: '' }, FILTERS],
    [{ text: 'host' }, { text: 'host ' }, FILTERS],
    [{}, { group: '' }, FILTERS],
    [{ vendor: '' }, { group: '' }, FILTERS],
    [{}, { at: new Date('2026-11-01T08:15:00Z') }, FILTERS],
  ])('of %j is refused with %j, and what differs is named', async (given, other, named) => {
    const message = expect.stringMatching(new RegExp(`^query\\.cursor: expected a cursor of the list with .*${named}`));
    const refused = devicePage(snapshot, other, await cursorFor(given), 2);
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed', message });
  });

  test('is the same for the default sort, and for two names of one category', async () => {
    const first = await cursorFor({ status: 'all' });
    const { page } = await devicePage(snapshot, { status: 'my', sort: 'mac' }, first, 2);
    expect(names(page)).toEqual(['host 3', 'host 4']);
  });

  test.each(['x', 'e30', Buffer.from('{"v":1,"after":"a"}').toString('base64url'), '%%%'])(
    'that is none of this list is refused: %j',
    async (cursor) => {
      await expect(devicePage(snapshot, {}, cursor, 2)).rejects.toThrow(/query\.cursor/);
    },
  );

  test.each(['x', '\u0001', '\ud800', '日', '😀', '"'])(
    'fits into its schema behind a name of many %j',
    async (text) => {
      const two = snapshotOf([1, 2].map((n) => device(n, { devName: text.repeat(100) })));
      for (const sort of ['name', '-name'] as const) {
        const first = await devicePage(two, { sort }, undefined, 1);
        expect(operations.listDevices.query.shape.cursor.safeParse(first.nextCursor).error).toBeUndefined();
        const rest = await devicePage(two, { sort }, first.nextCursor ?? '', 1);
        expect(keysOf([...first.page, ...rest.page])).toEqual(keysOf(two.devices));
      }
    },
  );
});

describe('the values to filter by', () => {
  test('each count is the total of the list with that filter', async () => {
    await fc.assert(
      fc.asyncProperty(collection, async (snapshot) => {
        const facets = await facetsOf(snapshot, WATCH);
        const unknown = await devicePage(snapshot, { status: 'my', watch: 'unknown' }, undefined, 1, { watch: WATCH });
        expect(facets.unknown).toBe(unknown.total);
        // No state is known while no agent watches.
        expect((await facetsOf(snapshot)).unknown).toBe(snapshot.counts[0]);
        for (const filter of ['type', 'group', 'vendor', 'model'] as const) {
          const { values, truncated } = facets[filter];
          expect(truncated).toBe(false);
          for (const { value, count } of values) {
            expect((await devicePage(snapshot, { status: 'my', [filter]: value }, undefined, 1)).total).toBe(count);
          }
          const all = (await devicePage(snapshot, { status: 'my' }, undefined, 1)).total;
          expect(values.reduce((sum, { count }) => sum + count, 0)).toBe(all);
          expect(values.map(({ count }) => count)).toEqual(values.map(({ count }) => count).sort((a, b) => b - a));
        }
      }),
      { numRuns: 50 },
    );
  });

  test('are the most frequent ones where there are many, and none that is too long to ask for', async () => {
    const many = Array.from({ length: MAX_FACET_VALUES + 1 }, (_, i) => ({ devType: `type ${i}` }));
    const fields = [...many, { devType: 'type 500' }, { devVendor: 'v'.repeat(MAX_FILTER_LENGTH + 1) }];
    const devices = fields.map((one, i) => ({ key: `~${i}`, record: { ...BLANK_DEVICE, ...one } }));
    const { type, group, vendor } = await facetsOf(snapshotOf(devices));
    expect([type.values.length, type.truncated]).toEqual([MAX_FACET_VALUES, true]);
    expect(type.values[0]).toEqual({ value: 'type 500', count: 2 });
    expect(group).toEqual({ values: [{ value: '', count: fields.length }], truncated: false });
    expect(vendor).toEqual({ values: [{ value: '', count: fields.length - 1 }], truncated: true });
  });
});
