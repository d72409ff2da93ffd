import { expect, test } from 'vitest';
import { BLANK_DEVICE, type DeviceRecord } from '../../shared/device.ts';
import { decodeDevice, encodeDevice } from './device-codec.ts';

const NAS: DeviceRecord = {
  ...BLANK_DEVICE,
  devMac: '00:1E:06:AA:BB:01',
  devName: 'nas',
  devLastIP: '192.168.1.20',
  devType: 'NAS',
  devVendor: 'Example',
  devFavorite: 1,
  devIsNew: 0,
  devIsArchived: 1,
  devAlertDown: 0,
  devPresentLastScan: 1,
  devFirstConnection: '2026-11-01 08:15:00',
  devLastConnection: '2026-11-02 08:15:00',
  devParentMAC: '00:1E:06:AA:BB:00',
  devParentPort: '7',
  devOwner: 'Ada',
  devGroup: 'servers',
  devLocation: 'cellar',
  devComments: 'loud',
  devSite: 'cabin',
};

/** As it was stored by the first version. Rows like it are in tables, so neither order nor form may change. */
const STORED =
  '[1,"00:1E:06:AA:BB:01","nas","192.168.1.20","NAS","Example",1,0,1,0,1,"2026-11-01 08:15:00",' +
  '"2026-11-02 08:15:00","00:1E:06:AA:BB:00","7","Ada","servers","cellar","loud","cabin"]';
const KEY = { pk: 'S#home', sk: 'D#00:1E:06:AA:BB:01' };

test('a row of the first version is read, and written in the same order', () => {
  expect(decodeDevice({ ...KEY, d: STORED, v: 7 })).toEqual({ key: '00:1E:06:AA:BB:01', record: NAS });
  const { d, ...rest } = encodeDevice('home', { key: '00:1E:06:AA:BB:01', record: NAS }, 7);
  expect(rest).toEqual({ ...KEY, v: 7 });
  const values = JSON.parse(STORED);
  expect(JSON.parse(String(d)).slice(0, values.length)).toEqual(values);
});

test('fields that a row was written without are blank', () => {
  const { record } = decodeDevice({ ...KEY, d: '[1,"00:1E:06:AA:BB:01","nas"]', v: 1 });
  expect(record).toEqual({ ...BLANK_DEVICE, devMac: '00:1E:06:AA:BB:01', devName: 'nas' });
});

test.each([undefined, 7, '{}', '[]', '[2,"x"]'])('what is no row of a device is refused: %j', (d) => {
  expect(() => decodeDevice({ ...KEY, ...(d === undefined ? {} : { d }) })).toThrow('unreadable device');
});
