/** What the browser filters and sorts by itself is what `GET /devices` answers for the same view. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDevices } from '../../../api/devices/list-query.ts';
import { DeviceSort } from '../../../shared/api/device-list.ts';
import * as shared from '../../../shared/device.ts';
import { formatIp } from '../../../shared/network.ts';
import { SiteWatch } from '../../../store/devices/coverage-row.ts';
import type { StoredDevice } from '../../../store/devices/device-codec.ts';
import { Snapshot } from '../../../store/devices/snapshot.ts';
import type { Device } from './device.ts';
import { filterDevices } from './filter-devices.ts';
import { parseSort, sortDevices } from './sort-devices.ts';
import { formatView, listQuery, parseView, TABS } from './view.ts';

const name = fc.oneof(
  fc.constantFrom('', 'nas', 'NAS', 'nas 2', 'nas 10', 'Ärger', 'x\u0000y', `${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const label = fc.constantFrom('', 'NAS', 'nas', 'Camera', 'lab');
const address = fc.oneof(
  fc.constantFrom('', '9.9.9.9', '10.0.0.2', '10.0.0.10', 'fe80::1%eth0', 'junk', '1.2'),
  fc.bigInt(0n, (1n << 32n) - 1n).map((value) => formatIp({ family: 4, value, zone: null })),
  fc.bigInt(0n, (1n << 128n) - 1n).map((value) => formatIp({ family: 6, value, zone: null })),
  fc.bigInt(0n, 70_000n).map((value) => formatIp({ family: 6, value: (0xfd00n << 112n) | value, zone: null })),
);
const time = fc.constantFrom('', '2026-01-02 03:04:05', '2026-11-01 00:00:00');
const flag = fc.constantFrom(0 as const, 1 as const);

const record = fc.record({
  devName: name,
  devType: label,
  devGroup: label,
  devVendor: label,
  devLastIP: address,
  devLastConnection: time,
  devFirstConnection: time,
  devPresentLastScan: flag,
  devIsArchived: flag,
  devAlertDown: flag,
  devIsNew: flag,
  devFavorite: flag,
});
/** As `WATCH` has them, for a device that no agent has said anything of. */
const WATCH = new SiteWatch({ watched: ['10.0.0.0/8'], ended: new Map([['9.0.0.0/8', 0]]) });
const collection = fc
  .uniqueArray(fc.tuple(fc.nat(99), record), { selector: ([n]) => n, maxLength: 40 })
  .map((numbered) => numbered.map(([n, fields]) => device(n, fields)));
const chosen = fc.option(fc.constantFrom('', 'NAS', 'Camera', 'none has it'), { nil: null });
const view = fc.record({
  status: fc.constantFrom(...TABS),
  text: fc.oneof(
    fc.constantFrom('', 'na', 'AS 1', '10.', 'BB-0', 'bb0', '00:1e:06', '001e.06aa', '001E06', '\u0000'),
    fc.string({ maxLength: 2 }),
  ),
  type: chosen,
  group: chosen,
  vendor: chosen,
  watch: fc.constantFrom(null, 'watched' as const, 'unknown' as const),
  sort: fc.constantFrom(...DeviceSort.options),
});

function device(n: number, fields: Partial<shared.DeviceRecord>): Device {
  const digits = String(n).padStart(2, '0');
  const devMac = n === 0 ? 'Internet' : n % 5 === 0 ? '' : `00:1E:06:AA:BB:${digits}`;
  const key = devMac === '' ? `~${digits}` : devMac;
  const record = { ...shared.BLANK_DEVICE, ...fields, devMac };
  return { ...record, key, watch: WATCH.of({ key, record }) };
}

function snapshotOf(devices: readonly Device[]): Snapshot {
  const stored = devices.map(({ key, watch: _, ...fields }): StoredDevice => ({ key, record: fields }));
  return new Snapshot(
    'home',
    1,
    stored.sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
}

test('a view of the whole collection is the list of the API', async () => {
  await fc.assert(
    fc.asyncProperty(collection, view, async (devices, asked) => {
      const here = filterDevices(sortDevices(devices, asked.sort), asked).map(({ key }) => key);
      const there = (await findDevices(snapshotOf(devices), listQuery(asked), WATCH)).map(({ key }) => key);
      expect(here).toEqual(there);
    }),
    { numRuns: 400 },
  );
});

test('every order of the API is known here, and nothing else', () => {
  for (const sort of DeviceSort.options) expect(parseSort(sort)).toBe(sort);
  for (const text of [null, '', '-', 'toString', '--mac', 'devMac', 'MAC']) expect(parseSort(text)).toBeNull();
});

test('a view comes back from its address', () => {
  fc.assert(
    fc.property(view, (asked) => {
      expect(parseView(new URLSearchParams(formatView(asked).toString()))).toEqual(asked);
    }),
  );
});

test('an address that says nonsense shows all devices by name', () => {
  const all = { status: 'my', text: '', type: null, group: null, vendor: null, watch: null, sort: 'name' };
  expect(parseView(new URLSearchParams('status=__proto__&sort=constructor&other=1'))).toEqual(all);
  expect(parseView(new URLSearchParams(`text=${'x'.repeat(500)}`)).text).toHaveLength(256);
});
