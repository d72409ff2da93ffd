import { expect, test } from 'vitest';
import {
  BLANK_DEVICE,
  DEVICE_FIELD_KINDS,
  DEVICE_FIELDS,
  type DeviceRecord,
  MAX_EXTRA_COLUMNS,
  MAX_EXTRA_LENGTH,
  MAX_LENGTHS,
  NO_EXTRA,
} from '../../../shared/device.ts';
import { decodeDevice, encodeDevice } from './device-codec.ts';

const NAS: DeviceRecord = {
  ...{ ...BLANK_DEVICE, devMac: '00:1E:06:AA:BB:01', devName: 'nas', devLastIP: '192.168.1.20', devType: 'NAS' },
  ...{ devVendor: 'Example', devFavorite: 1, devIsNew: 0, devIsArchived: 1, devAlertDown: 0, devPresentLastScan: 1 },
  ...{ devFirstConnection: '2026-11-01 08:15:00', devLastConnection: '2026-11-02 08:15:00' },
  ...{ devParentMAC: '00:1E:06:AA:BB:00', devParentPort: '7', devOwner: 'Ada', devGroup: 'servers' },
  ...{ devLocation: 'cellar', devComments: 'loud', devSite: 'cabin' },
};

/** As it was stored by the first version. Rows like it are in tables, so neither order nor form may change. */
const STORED =
  '[1,"00:1E:06:AA:BB:01","nas","192.168.1.20","NAS","Example",1,0,1,0,1,"2026-11-01 08:15:00",' +
  '"2026-11-02 08:15:00","00:1E:06:AA:BB:00","7","Ada","servers","cellar","loud","cabin"]';
const KEY = { pk: 'S#home', sk: 'D#00:1E:06:AA:BB:01' };

test('a row of the first version is read, and written as it was', () => {
  expect(decodeDevice({ ...KEY, d: STORED, v: 7 })).toEqual({ key: '00:1E:06:AA:BB:01', record: NAS });
  expect(encodeDevice('home', { key: '00:1E:06:AA:BB:01', record: NAS }, 7)).toEqual({ ...KEY, d: STORED, v: 7 });
});

test('blank fields at the end of a row are not stored, and fields that a row was written without are blank', () => {
  const record = { ...BLANK_DEVICE, devMac: '00:1E:06:AA:BB:01', devIsNew: 1 as const };
  const item = encodeDevice('home', { key: record.devMac, record }, 7);
  expect(item.d).toBe('[1,"00:1E:06:AA:BB:01","","","","",0,1]');
  expect(decodeDevice(item)).toEqual({ key: record.devMac, record });
  const blank = encodeDevice('home', { key: '~1', record: BLANK_DEVICE }, 7);
  expect([blank.d, decodeDevice(blank)]).toEqual(['[1]', { key: '~1', record: BLANK_DEVICE }]);
});

test('extra columns stand behind the fields, however many of those are stored; without any, all devices share one object', () => {
  const extra = { Rack: '12', constructor: 'Acme', devScan: '1' };
  for (const record of [NAS, { ...BLANK_DEVICE, devMac: NAS.devMac }, { ...NAS, devGUID: 'g' }, BLANK_DEVICE]) {
    const item = encodeDevice('home', { key: NAS.devMac, record: { ...record, extra } }, 7);
    expect(decodeDevice(item)).toEqual({ key: NAS.devMac, record: { ...record, extra } });
    expect(decodeDevice(encodeDevice('home', { key: NAS.devMac, record }, 7)).record.extra).toBe(NO_EXTRA);
    expect(encodeDevice('home', { key: NAS.devMac, record: { ...record, extra: {} } }, 7)).toEqual(
      encodeDevice('home', { key: NAS.devMac, record }, 7),
    );
  }
});

test('a device that is as large as an import allows leaves a fifth of what an item may have', () => {
  const worst = '\u0001'; // Six bytes in JSON.
  const values = DEVICE_FIELDS.map((field) => {
    const kind = DEVICE_FIELD_KINDS[field];
    return [field, kind in MAX_LENGTHS ? worst.repeat(MAX_LENGTHS[kind as keyof typeof MAX_LENGTHS]) : NAS[field]];
  });
  const extra = Object.fromEntries([
    ...Array.from({ length: MAX_EXTRA_COLUMNS - 1 }, (_, i) => [`c${i}`, worst]),
    ['c', worst.repeat(MAX_EXTRA_LENGTH)],
  ]);
  const record = { ...(Object.fromEntries(values) as DeviceRecord), extra };
  const { d } = encodeDevice('home', { key: NAS.devMac, record }, 7);
  expect(Buffer.byteLength(String(d))).toBeLessThan(0.8 * 400 * 1024);
});

test.each([undefined, 7, '{}', '[]', '[2,"x"]'])('what is no row of a device is refused: %j', (d) => {
  expect(() => decodeDevice({ ...KEY, ...(d === undefined ? {} : { d }) })).toThrow('unreadable device');
});
