/** Files as spreadsheets, data frames and other programs write them. */
import { expect, test } from 'vitest';
import { BLANK_DEVICE, DEVICE_FIELDS, type DeviceRecord } from '../../shared/device.ts';
import { Snapshot } from './collection/snapshot.ts';
import { csvLines } from './csv.ts';
import { planImport } from './import.ts';
import { readImport } from './import-file.ts';

const MAC = '00:1E:06:AA:70:01';
const NOW = new Date('2026-11-01T08:15:00Z');

function collection(...records: Partial<DeviceRecord>[]): Snapshot {
  const devices = records.map((record, i) => ({
    key: record.devMac ?? `~${i}`,
    record: { ...BLANK_DEVICE, devFirstConnection: '2020-01-01 00:00:00', ...record },
    byPerson: ['devName' as const],
  }));
  return new Snapshot('home', 1, devices);
}

async function imported(csv: string, into = collection()) {
  const file = await readImport(Buffer.from(csv));
  return { ...(await planImport(file, into, 'replace', NOW)), skipped: file.skipped.named };
}

/** What one cell of a column makes of a new device. */
async function cell(column: keyof DeviceRecord, text: string) {
  const { put, skipped, adjusted } = await imported(`devMac\t${column}\n${MAC}\t${text}\n`);
  return { value: put[0]?.record[column], skipped: skipped.length, adjusted: adjusted.count };
}

test('a cell that cannot be read costs that cell and not the device: it stays as it was known, and adjusted says so', async () => {
  const before = { devFavorite: 1, devParentMAC: '00:1E:06:AA:BB:09', devFQDN: 'nas.lan', devIsArchived: 1 } as const;
  const known = collection({ devMac: MAC, devLastConnection: '2026-10-01 08:15:00', ...before });
  const { put, skipped, adjusted } = await imported(
    'devMac,devName,devFavorite,devLastConnection,devParentMAC,devFQDN,devStatus,devFirstConnection\n' +
      `${MAC},nas,maybe,2026-02-30 00:00:00,the switch,${'x'.repeat(256)},asleep,04/05/2026 10:00\n`,
    known,
  );
  expect(skipped).toEqual([]);
  expect(put[0]?.record).toEqual({ ...known.devices[0]?.record, devName: 'nas' });
  expect(adjusted.named[0]?.reason.split('; left as it was')).toEqual([
    'devFavorite: "maybe" is neither 0 nor 1',
    '; devLastConnection: "2026-02-30 00:00:00" is not a time such as 2026-11-01 08:15:00',
    '; devParentMAC: "the switch" is no MAC address',
    '; devFQDN: longer than 255 characters',
    '; devStatus: "asleep" is no status',
    '; devFirstConnection: "04/05/2026 10:00" is no time, or may have the day or the month first; write it as 2026-11-01 08:15:00',
    '',
  ]);
});

test.each([
  ['2026-11-28 14:59:33', '2026-11-28 14:59:33'],
  ['2026-11-28T08:15:00.123456+00:00', '2026-11-28 08:15:00'],
  ['2026-11-28 08:15:00 UTC', '2026-11-28 08:15:00'],
  ['2026-11-28 10:15:00+0200', '2026-11-28 08:15:00'],
  ['2026-11-28 10:15:00+02', '2026-11-28 08:15:00'],
  ['11/28/2026 14:59', '2026-11-28 14:59:00'], // USA
  ['11/28/2026 2:59:33 PM', '2026-11-28 14:59:33'],
  ['11/28/2026, 12:05\u202fa.m.', '2026-11-28 00:05:00'],
  ['28/11/2026 14:59', '2026-11-28 14:59:00'], // Great Britain
  ['28.11.2026 14:59:33', '2026-11-28 14:59:33'], // Germany
  ['28-11-2026 14:59', '2026-11-28 14:59:00'], // the Netherlands
  ['2026/11/28 4:59', '2026-11-28 04:59:00'], // Japan
  ['2026-11-28', '2026-11-28 00:00:00'],
  ['11/11/2026 14:59', '2026-11-11 14:59:00'],
  ['11/28/26 14:59', '2026-11-28 14:59:00'],
  ['never', ''],
  ['N/A', ''],
  ['04/05/2026 14:59', null],
  ['5.4.2026', null],
  ['28.11.26 14:59', null],
  ['13/13/2026', null],
  ['11/28/2026 14:59 PM', null],
  ['2026-11-28 25:00:00', null],
  ['2026-11-28 24:00:00', null],
  ['46354.62', null],
])('the time %j is %j; what can be read in two ways is not guessed', async (text, time) => {
  const expected = { value: time ?? '', skipped: 0, adjusted: time === null ? 1 : 0 };
  expect(await cell('devLastConnection', text)).toEqual(expected);
});

test('an export that a spreadsheet has saved again is the same collection: it leaves the seconds out, which are known', async () => {
  const known = collection(
    { devMac: MAC, devName: 'nas', devLastConnection: '2026-11-28 14:59:33' },
    { devName: 'sensor', devFirstConnection: '2026-11-28 14:59:33' },
    { devName: 'sensor', devFirstConnection: '2026-11-28 14:59:44' },
  );
  const lines = [...csvLines(DEVICE_FIELDS, known.devices, ({ record: { extra: _, ...fields } }) => fields)];
  const saved = lines.join('').replace(/(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d):\d\d/g, '$2/$3/$1 $4');
  expect(saved).toContain('11/28/2026 14:59');
  expect(await imported(saved, known)).toMatchObject({ put: [], remove: [], updated: 3, skipped: [] });
});

test('a flag is read as spreadsheets in several languages and data frames write it', async () => {
  for (const yes of ['1', '1.0', '1,00', 'TRUE', 'true', 'Yes', 'y', 'WAHR', 'VRAI', 'on']) {
    expect([yes, await cell('devFavorite', yes)]).toEqual([yes, { value: 1, skipped: 0, adjusted: 0 }]);
  }
  for (const no of ['', '0', '0.0', 'FALSE', 'no', 'N', 'FALSCH', 'off', 'nan', 'null', '-']) {
    expect([no, await cell('devFavorite', no)]).toEqual([no, { value: 0, skipped: 0, adjusted: 0 }]);
  }
  expect(await cell('devFavorite', '2')).toEqual({ value: 0, skipped: 0, adjusted: 1 });
});

test.each([
  ['192.0.2.10/24', '192.0.2.10'],
  ['192.0.2.10/255.255.255.0', '192.0.2.10'],
  ['192.0.2.10/32', '192.0.2.10'],
  ['2001:DB8::1/64', '2001:db8::1'],
  ['N/A', ''],
  ['-', ''],
  ['DHCP', ''],
  ['(unknown)', ''],
  ['192.0.2.0/24', null],
  ['192.0.2.10/33', null],
  ['192.0.2.10/255.0.255.0', null],
  ['192.0.2.10/24/8', null],
  ['192.0.2.10 192.0.2.11', null],
])('the address %j is %j: with its mask it is one, a network is none', async (text, address) => {
  const expected = { value: address ?? undefined, skipped: address === null ? 1 : 0, adjusted: 0 };
  expect(await cell('devLastIP', text)).toEqual(expected);
});

test('surplus cells that are empty say nothing; a row that ends early, or goes on, is left out', async () => {
  const rows = ['nas,00:1E:06:AA:BB:01,10.0.0.1', 'pc,00:1E:06:AA:BB:02,10.0.0.2,, ,,', 'tv,,', 'a,b', 'lamp,,,,,x'];
  const { put, skipped } = await imported(['devName,devMac,devIP,,', ...rows].join('\r\n'));
  expect(put.map(({ record }) => record.devName)).toEqual(['nas', 'pc', 'tv']);
  expect(skipped).toEqual([
    { line: 5, reason: 'has 2 columns, expected 3' },
    { line: 6, reason: 'has 6 columns, expected 3' },
  ]);
});

test.each([
  ['devName,MAC,IP', `nas,${MAC},192.0.2.10`],
  ['Name;MAC-Adresse;IP-Adresse', `nas;${MAC};192.0.2.10`],
  ['host-name,mac-address,address', `nas,${MAC},192.0.2.10`], // MikroTik, OPNsense
  ['address,hwaddr,client_id,hostname', `192.0.2.10,${MAC},,nas`], // Kea
  ['Status,Name,IP,Manufacturer,MAC address', `on,nas,192.0.2.10,Acme,${MAC}`], // Advanced IP Scanner
  ['dev_MAC,dev_Name,dev_LastIP', `${MAC},nas,192.0.2.10`], // Pi.Alert
  ['Internet Address,Physical Address,Host Name', '192.0.2.10,0-1e-6-aa-70-1,nas'], // Windows
  ['Device Name\tIPv4 Address\tHW Address', `nas\t192.0.2.10\t${MAC}`],
  ['Hostname,Name,Client MAC,IP ADDR,Address', `host,nas,${MAC},192.0.2.10,the attic`],
])('headings that mean one thing in every program are understood: %j', async (header, row) => {
  const { put, skipped } = await imported(`\n${header}\n${row}\n`);
  expect(skipped).toEqual([]);
  expect(put[0]?.record).toMatchObject({ devMac: MAC, devName: 'nas', devLastIP: '192.0.2.10' });
});

test('a field has the column that is called as it is; another one beside it is kept as it was', async () => {
  const { put } = await imported(`devMac,devName,devVendor,Hostname,Vendor\n${MAC},nas,Acme,host,Other\n`);
  const extra = { Hostname: 'host', Vendor: 'Other' };
  expect(put[0]?.record).toMatchObject({ devName: 'nas', devVendor: 'Acme', extra });
});

test.each([
  ['Name,MAC,MAC Address', 'The columns "MAC" and "MAC Address" of the file both mean devMac'],
  ['MAC,IP,IPv4', 'The columns "IP" and "IPv4" of the file both mean devLastIP'],
  ['devMac,DEVMAC', 'The columns "devMac" and "DEVMAC" of the file both mean devMac'],
])('two columns that mean the same field are named, and nothing is guessed: %j', async (header, message) => {
  const refusal = { code: 'malformed_csv', message: expect.stringContaining(message) };
  await expect(imported(`${header}\n`)).rejects.toMatchObject(refusal);
});

test.each([
  ['devName,Wireless NIC', ['nas'], '"Wireless NIC"'],
  ['devMac,devName,', ['', 'nas'], 'number 3'],
])('no device without MAC is made beside a column full of MACs: %j', async (header, cells, column) => {
  const rows = [MAC, '001e.06aa.7002', 'unknown'].map((last) => [...cells, last].join());
  const message = expect.stringContaining(`The column ${column} of the file holds MAC addresses`);
  await expect(imported([header, ...rows].join('\n'))).rejects.toMatchObject({ code: 'malformed_csv', message });
});

test('a number of twelve digits in a column is no MAC', async () => {
  expect((await imported('devName,Serial\nnas,202611281459\n')).put).toHaveLength(1);
});
