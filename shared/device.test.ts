import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BLANK_DEVICE,
  type Category,
  categoryOf,
  DEVICE_FIELDS,
  DeviceRecord,
  inCategory,
  StatusFilter,
  SUMMARY_COLUMNS,
  statusOf,
  summaryOf,
  TOTALS_ORDER,
} from './device.ts';

const EMPTY: DeviceRecord = {
  ...BLANK_DEVICE,
  devMac: 'AA:BB:CC:DD:EE:FF',
  devName: 'Printer',
  devLastIP: '192.168.1.5',
  devType: 'Printer',
  devFirstConnection: '2026-11-01 08:15:00',
};
const flag = fc.constantFrom(0 as const, 1 as const);
const devices = fc
  .record({ devFavorite: flag, devIsNew: flag, devIsArchived: flag, devAlertDown: flag, devPresentLastScan: flag })
  .map((flags): DeviceRecord => ({ ...EMPTY, ...flags }));
const categories = (device: DeviceRecord) =>
  (['my', 'online', 'offline', 'favorites', 'new', 'down', 'archived'] as Category[]).filter((category) =>
    inCategory(category, device),
  );

test('a record has every field, and times only as they are written here', () => {
  expect(DeviceRecord.parse(EMPTY)).toEqual(EMPTY);
  expect(Object.keys(EMPTY)).toEqual([...DEVICE_FIELDS, 'extra']);
  for (const time of ['2026-11-01T08:15:00', '2026-11-01', '2026-11-01 08:15:00Z', 'never', '2026-11-01 08:15:00\n']) {
    expect(DeviceRecord.safeParse({ ...EMPTY, devLastConnection: time }).success, time).toBe(false);
  }
});

test.each([
  [{}, 'offline'],
  [{ devAlertDown: 1 }, 'down'],
  [{ devPresentLastScan: 1 }, 'online'],
  [{ devPresentLastScan: 1, devAlertDown: 1 }, 'online'],
  [{ devPresentLastScan: 1, devIsArchived: 1 }, 'archived'],
  [{ devAlertDown: 1, devIsArchived: 1 }, 'archived'],
  [{ devIsNew: 1 }, 'offline'],
] as const)('the status of %j is %s', (flags, status) => {
  expect(statusOf({ ...EMPTY, ...flags })).toBe(status);
});

test('status and categories never contradict each other', () => {
  fc.assert(
    fc.property(devices, (device) => {
      const found = categories(device);
      // Archived or mine; of mine, online or offline.
      expect(found.includes('archived')).toBe(!found.includes('my'));
      expect(found.includes('online') || found.includes('offline')).toBe(found.includes('my'));
      expect(found.includes('online') && found.includes('offline')).toBe(false);
      // A device that is down is offline as well.
      if (found.includes('down')) expect(found).toContain('offline');
      // All the others leave archived devices out.
      if (found.includes('archived')) expect(found).toEqual(['archived']);
      const status = statusOf(device);
      expect(found).toContain(status === 'down' ? 'down' : status);
    }),
  );
});

test('totals and lists count by the same rules', () => {
  fc.assert(
    fc.property(fc.array(devices, { maxLength: 40 }), (collection) => {
      const totals = TOTALS_ORDER.map((category) => collection.filter((device) => inCategory(category, device)).length);
      const [my, online, favorites, fresh, down, archived] = totals as [number, number, number, number, number, number];
      expect(my + archived).toBe(collection.length);
      const listed = (filter: StatusFilter) =>
        collection.filter((device) => inCategory(categoryOf(filter), device)).length;
      const lists = (['all', 'connected', 'favorites', 'new', 'down'] as const).map(listed);
      expect(lists).toEqual([my, online, favorites, fresh, down]);
      expect(listed('online') + listed('offline')).toBe(my);
    }),
  );
});

test('every filter leads to a category, the other names to those they stand for', () => {
  for (const filter of StatusFilter.options) expect(inCategory(categoryOf(filter), EMPTY)).toBeTypeOf('boolean');
  expect([categoryOf('connected'), categoryOf('all'), categoryOf('down')]).toEqual(['online', 'my', 'down']);
});

test('the summary has the six fields in the order of the contract', () => {
  expect(SUMMARY_COLUMNS).toEqual(['devName', 'devMAC', 'devIP', 'devType', 'devFavorite', 'devStatus']);
  const values = ['Printer', 'AA:BB:CC:DD:EE:FF', '192.168.1.5', 'Printer', 0, 'offline'];
  expect(Object.entries(summaryOf(EMPTY))).toEqual(SUMMARY_COLUMNS.map((name, i) => [name, values[i]]));
});
