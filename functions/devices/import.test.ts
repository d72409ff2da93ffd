import { expect, test } from 'vitest';
import type { DeviceRecord } from '../../shared/device.ts';
import { BLANK_DEVICE, type StoredDevice } from '../dynamodb/device-codec.ts';
import { Snapshot } from '../dynamodb/snapshot.ts';
import { planImport, readImport } from './import.ts';

const NOW = new Date('2026-11-01T08:15:00Z');

function collection(...records: Partial<DeviceRecord>[]): Snapshot {
  const devices = records.map((record, i): StoredDevice => {
    const whole = { ...BLANK_DEVICE, devFirstConnection: '2020-01-01 00:00:00', ...record };
    return { key: whole.devMac || `~${i}`, record: whole };
  });
  return new Snapshot('home', 1, devices);
}

async function imported(csv: string, into = collection(), mode: 'merge' | 'replace' = 'merge') {
  const file = await readImport(csv);
  return { ...planImport(file, into, mode, NOW), skipped: file.skipped };
}

test('a row becomes a device, and a missing first connection the time of import', async () => {
  const { put, inserted, updated } = await imported('devName,devMAC,devIP\nnas,00-1e-06-aa-bb-01,::ffff:10.0.0.1\n');
  expect({ inserted, updated }).toEqual({ inserted: 1, updated: 0 });
  expect(put).toEqual([
    {
      key: '00:1E:06:AA:BB:01',
      record: {
        ...BLANK_DEVICE,
        devMac: '00:1E:06:AA:BB:01',
        devName: 'nas',
        devLastIP: '10.0.0.1',
        devFirstConnection: '2026-11-01 08:15:00',
      },
    },
  ]);
});

test('a column that the file lacks keeps its value, and a device that does not change is not written', async () => {
  const known = collection({ devMac: '00:1E:06:AA:BB:01', devName: 'old', devOwner: 'me', devFavorite: 1 });
  const changed = await imported('devmac,devname\n00:1e:06:aa:bb:01,new\n', known);
  expect(changed.put[0]?.record).toMatchObject({ devName: 'new', devOwner: 'me', devFavorite: 1 });
  expect(changed).toMatchObject({ inserted: 1, updated: 1, remove: [] });
  expect((await imported('devmac,devname\n00:1e:06:aa:bb:01,old\n', known)).put).toEqual([]);
});

test.each([
  ['online', { devPresentLastScan: 1 }],
  ['Off-line', { devPresentLastScan: 0 }],
  ['down', { devPresentLastScan: 0, devAlertDown: 1 }],
  ['archived', { devIsArchived: 1 }],
  ['NEW', { devIsNew: 1 }],
])('the status %s sets its flags', async (status, flags) => {
  const { put } = await imported(`devMac,devStatus\n00:1E:06:AA:BB:01,${status}\n`);
  expect(put[0]?.record).toMatchObject(flags);
});

test('a column of its own outweighs the status word, in any order of columns', async () => {
  const { put } = await imported('devPresentLastScan,devMac,devStatus\n0,00:1E:06:AA:BB:01,online\n');
  expect(put[0]?.record.devPresentLastScan).toBe(0);
});

test('every bad row is left out with its line and a reason; the good ones are taken', async () => {
  const lines = [
    'devMac,devLastIP,devFavorite,devFirstConnection',
    '00:1E:06:AA:BB:01,10.0.0.1,1,2026-01-01 00:00:00',
    'nonsense,10.0.0.1,0,',
    '00:1E:06:AA:BB:02,10.0.0.256,0,',
    '00:1E:06:AA:BB:03,10.0.0.3,yes,',
    '',
    '00:1E:06:AA:BB:04,10.0.0.4,0,2026-02-30 00:00:00',
    '00:1E:06:AA:BB:05,10.0.0.5,0',
    '00-1E-06-AA-BB-01,10.0.0.6,0,',
    '00:1E:06:AA:BB:07,,,2026-01-01T02:00:00+02:00',
  ];
  const { put, skipped, inserted } = await imported(lines.join('\r\n'));
  expect(inserted).toBe(2);
  expect(put.map(({ key }) => key)).toEqual(['00:1E:06:AA:BB:01', '00:1E:06:AA:BB:07']);
  expect(put[1]?.record.devFirstConnection).toBe('2026-01-01 00:00:00');
  expect(skipped).toEqual([
    { line: 3, reason: 'devMac: "nonsense" is no MAC address' },
    { line: 4, reason: 'devLastIP: "10.0.0.256" is no IP address' },
    { line: 5, reason: 'devFavorite: "yes" is neither 0 nor 1' },
    { line: 7, reason: 'devFirstConnection: "2026-02-30 00:00:00" is no time such as 2026-11-01 08:15:00' },
    { line: 8, reason: 'has 3 columns, expected 4' },
    { line: 9, reason: 'devMac: 00:1E:06:AA:BB:01 occurs earlier in the file' },
  ]);
});

test('a line of nothing but delimiters is a blank line', async () => {
  const { inserted, skipped } = await imported('devName,devMac\n,\nnas,\n, \n');
  expect([inserted, skipped]).toEqual([1, []]);
});

test('Internet is a device and a parent in any letter case; null is no parent', async () => {
  const { put } = await imported('devMac,devParentMAC\ninternet,null\n00:1E:06:AA:BB:01,INTERNET\n');
  expect(put.map(({ key, record }) => [key, record.devParentMAC])).toEqual([
    ['Internet', ''],
    ['00:1E:06:AA:BB:01', 'Internet'],
  ]);
});

test('rows without MAC are inserted, each as a device of its own; a repeated import adds nothing', async () => {
  const csv = 'devName,devMAC,devStatus\nsensor,,online\nsensor,,online\nlamp,,archived\n';
  const first = await imported(csv);
  expect(first.put).toHaveLength(3);
  expect(new Set(first.put.map(({ key }) => key)).size).toBe(3);
  const again = await imported(csv, new Snapshot('home', 2, first.put));
  expect(again).toMatchObject({ inserted: 3, updated: 3, put: [] });
  const more = await imported(`${csv}sensor,,online\n`, new Snapshot('home', 2, first.put));
  expect(more.put).toHaveLength(1);
});

test('replace removes what the file does not name, and spares what a bad row names', async () => {
  const known = collection(
    { devMac: '00:1E:06:AA:BB:01' },
    { devMac: '00:1E:06:AA:BB:02' },
    { devMac: '00:1E:06:AA:BB:03' },
    { devName: 'without MAC' },
  );
  const csv = 'devMac,devLastIP\n00:1E:06:AA:BB:01,\n00:1E:06:AA:BB:02,not an address\n';
  expect((await imported(csv, known, 'replace')).remove).toEqual(['00:1E:06:AA:BB:03', '~3']);
  expect((await imported(csv, known)).remove).toEqual([]);
});

test.each([
  ['', 'an empty file'],
  ['this is not csv\n', 'prose'],
  ['a,b\n1,2\n', 'unknown columns'],
  ['devMac,devName,DEVMAC\n', 'a column twice'],
])('a file without a usable header is refused: %j (%s)', async (text) => {
  await expect(readImport(text)).rejects.toMatchObject({ code: 'malformed_csv' });
});

test('an export of the former system comes in whole: other order, quoted cells, columns we do not have', async () => {
  const csv =
    '"devMac","devName","devOwner","devVlan","devIcon","devLastIP","devAlertDown","devIsNew","devParentMAC"\r\n' +
    '"aa:bb:cc:00:00:01","tv","(unknown)","","PGk+PC9pPg==","192.168.1.9","","1","internet"\r\n';
  const { put, skipped } = await imported(csv);
  expect(skipped).toEqual([]);
  expect(put[0]?.record).toMatchObject({ devName: 'tv', devAlertDown: 0, devIsNew: 1, devParentMAC: 'Internet' });
});
