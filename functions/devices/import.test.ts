import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_IMPORT_ROWS } from '../../shared/api/devices.ts';
import { BLANK_DEVICE, DEVICE_FIELDS, type DeviceRecord } from '../../shared/device.ts';
import type { StoredDevice } from '../dynamodb/device-codec.ts';
import { Snapshot } from '../dynamodb/snapshot.ts';
import { csvLines } from './csv.ts';
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
  const file = await readImport(Buffer.from(csv));
  const { skipped, adjusted, ignoredColumns } = file;
  return { ...(await planImport(file, into, mode, NOW)), skipped: skipped.named, adjusted, ignoredColumns };
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
    { line: 7, reason: 'devFirstConnection: "2026-02-30 00:00:00" is not a time such as 2026-11-01 08:15:00' },
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
  await expect(readImport(Buffer.from(text))).rejects.toMatchObject({ code: 'malformed_csv' });
});

test('an export of the former system comes in whole: other order, quoted cells, columns we do not have', async () => {
  const csv =
    '"devMac","devName","devOwner","devVlan","devIcon","devLastIP","devAlertDown","devIsNew","devParentMAC"\r\n' +
    '"aa:bb:cc:00:00:01","tv","(unknown)","","PGk+PC9pPg==","192.168.1.9","","1","internet"\r\n';
  const { put, skipped, ignoredColumns } = await imported(csv);
  expect(skipped).toEqual([]);
  expect(put[0]?.record).toMatchObject({ devName: 'tv', devAlertDown: 0, devIsNew: 1, devParentMAC: 'Internet' });
  expect(ignoredColumns).toEqual(['devVlan', 'devIcon']);
});

test('names of ignored columns come as they are written; the first of them, and shortened', async () => {
  const many = Array.from({ length: 200 }, (_, i) => `column ${i}`);
  const { ignoredColumns } = await imported(`devName, My Column ,,${'x'.repeat(500)},${many.join(',')}\n`);
  expect(ignoredColumns).toEqual([' My Column ', 'x'.repeat(100), ...many.slice(0, 98)]);
});

test('an apostrophe is taken away where our export has put it, and stays in a file of another system', async () => {
  const ours = await imported("devMac,devName,devIP\n00:1E:06:AA:BB:01,'=x,\n00:1E:06:AA:BB:02,''=x,\n");
  expect(ours.put.map(({ record }) => record.devName)).toEqual(['=x', "'=x"]);
  const theirs = await imported("devMac,devName,devGUID\n00:1E:06:AA:BB:01,'=x,1\n00:1E:06:AA:BB:02,=x,2\n");
  expect(theirs.put.map(({ record }) => record.devName)).toEqual(["'=x", '=x']);
});

test('an address that was never seen is no address', async () => {
  const { put, skipped } = await imported('devMac,devLastIP\n00:1E:06:AA:BB:01,(unknown)\n');
  expect([put[0]?.record.devLastIP, skipped]).toEqual(['', []]);
});

test('a text that is too long is cut, a parent that is no MAC left empty: the device comes in, and it is told', async () => {
  const { put, skipped, adjusted } = await imported(
    [
      'devMac,devComments,devParentMAC',
      `00:1E:06:AA:BB:01,${'x'.repeat(4001)},`,
      `00:1E:06:AA:BB:02,${'x'.repeat(3999)}★★,the switch`,
      `00:1E:06:AA:BB:03,${'x'.repeat(3999)}😀,`,
      `00:1E:06:AA:BB:04,${'x'.repeat(4000)},00:1E:06:AA:BB:01`,
      `nonsense,${'x'.repeat(4001)},`,
    ].join('\n'),
  );
  expect(put.map(({ record }) => [record.devComments.length, record.devParentMAC])).toEqual([
    [4000, ''],
    [4000, ''],
    [3999, ''],
    [4000, '00:1E:06:AA:BB:01'],
  ]);
  expect(adjusted).toEqual({
    count: 3,
    named: [
      { line: 2, reason: 'devComments: cut at 4000 characters' },
      {
        line: 3,
        reason: 'devComments: cut at 4000 characters; devParentMAC: "the switch" is no MAC address; left empty',
      },
      { line: 4, reason: 'devComments: cut at 4000 characters' },
    ],
  });
  expect(skipped).toEqual([{ line: 6, reason: 'devMac: "nonsense" is no MAC address' }]);
});

test('of many lines the first thousand are named, and all are counted', async () => {
  const bad = await readImport(Buffer.from(`devMac\n${'x\n'.repeat(5_000)}`));
  expect([bad.skipped.count, bad.skipped.named.length, bad.skipped.named.at(-1)?.line]).toEqual([5_000, 1_000, 1_001]);
  const cut = await readImport(Buffer.from(`devName,devParentMAC\n${'x,y\n'.repeat(5_000)}`));
  expect([cut.rows.length, cut.adjusted.count, cut.adjusted.named.length]).toEqual([5_000, 5_000, 1_000]);
});

test('a file with more rows than an import may have is refused, and what stands behind them is not read', async () => {
  const rows = (count: number) => Buffer.from(`devName\n${'a\n'.repeat(count)}`);
  expect((await readImport(rows(MAX_IMPORT_ROWS))).rows).toHaveLength(MAX_IMPORT_ROWS);
  const refusal = { code: 'payload_too_large', message: expect.stringContaining('more than 200,000 rows') };
  await expect(readImport(rows(MAX_IMPORT_ROWS + 1))).rejects.toMatchObject(refusal);
  const broken = Buffer.concat([rows(MAX_IMPORT_ROWS + 5_000), Buffer.from('"broken')]);
  await expect(readImport(broken)).rejects.toMatchObject(refusal);
  // Rows of nothing but delimiters are rows too.
  const blank = Buffer.from(`devName,devMac\n${',\n'.repeat(MAX_IMPORT_ROWS + 1)}`);
  await expect(readImport(blank)).rejects.toMatchObject(refusal);
});

test('planning lets others have their turn', async () => {
  const without = Array.from({ length: 5_000 }, (_, i) => ({ devName: `sensor ${i}` }));
  const file = await readImport(
    Buffer.from(`devMac,devName\n${without.map(({ devName }) => `,${devName}\n`).join('')}`),
  );
  let turns = 0;
  let planning = true;
  const count = () => {
    turns++;
    if (planning) setImmediate(count);
  };
  setImmediate(count);
  const { inserted, updated, put } = await planImport(file, collection(...without), 'replace', NOW);
  planning = false;
  expect({ inserted, updated, put }).toEqual({ inserted: 5_000, updated: 5_000, put: [] });
  expect(turns).toBeGreaterThanOrEqual(3 * 5); // For the rows, for finding their twins, and for what is to be removed.
});

test('an export, imported again, is the same collection, whatever its texts hold', async () => {
  const text = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom('=', '@', "'", ' ', '\n', '\r', '\t', '\u200b', '\ufeff', '"', ',', ';', 'a'),
      maxLength: 8,
    }),
  );
  const texts = fc.record({ devName: text, devComments: text, devVendor: text, devParentPort: text });
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 5 }), async (records) => {
      const before = records.map((record, i) => ({ ...BLANK_DEVICE, ...record, devMac: `00:1E:06:00:00:0${i}` }));
      const csv = [...csvLines(DEVICE_FIELDS, before)].join('');
      const { put, skipped } = await imported(csv);
      expect(skipped).toEqual([]);
      const first = { devFirstConnection: '2026-11-01 08:15:00' };
      expect(put.map(({ record }) => record)).toEqual(before.map((record) => ({ ...record, ...first })));
    }),
    { numRuns: 200 },
  );
});
