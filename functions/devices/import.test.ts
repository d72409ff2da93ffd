import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_IMPORT_ROWS } from '../../shared/api/device-import.ts';
import {
  BLANK_DEVICE,
  DEVICE_FIELD_KINDS,
  DEVICE_FIELDS,
  type DeviceField,
  type DeviceRecord,
  Extra,
  ExtraName,
  type FieldKind,
  MAX_EXTRA_COLUMNS,
  NO_EXTRA,
  sameRecord,
} from '../../shared/device.ts';
import { turnsDuring } from '../../test/support/event-loop.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { Snapshot } from './collection/snapshot.ts';
import { csvLines } from './csv.ts';
import { extraColumns, rowWithExtra } from './extra-columns.ts';
import { planImport, requireReplaceable } from './import.ts';
import { readImport } from './import-file.ts';
import { headerOf } from './import-header.ts';

const NOW = new Date('2026-11-01T08:15:00Z');

function collection(...records: Partial<DeviceRecord>[]): Snapshot {
  const devices = records.map((record, i): StoredDevice => {
    const whole = { ...BLANK_DEVICE, devFirstConnection: '2020-01-01 00:00:00', ...record };
    return { key: whole.devMac || `~${i}`, record: whole };
  });
  return new Snapshot('home', 1, devices);
}

/** The same collection, in which people have set these fields of each device. */
function setByPerson({ devices }: Snapshot, ...fields: DeviceField[]): Snapshot {
  const marked = devices.map((device) => ({ ...device, byPerson: fields }));
  return new Snapshot('home', 1, marked);
}

async function imported(csv: string, into = collection(), mode: 'merge' | 'replace' = 'merge') {
  const file = await readImport(Buffer.from(csv));
  return { ...(await planImport(file, into, mode, NOW)), skipped: file.skipped.named };
}

/** A full export of the collection. */
async function exported(snapshot: Snapshot): Promise<string> {
  const columns = [...DEVICE_FIELDS, ...(await extraColumns(snapshot))];
  return [...csvLines(columns, snapshot.devices, ({ record }) => rowWithExtra(record))].join('');
}

test('a row becomes a device, and a missing first connection the time of import', async () => {
  const { put, inserted, updated } = await imported('devName,devMAC,devIP\nnas,00-1e-06-aa-bb-01,::ffff:10.0.0.1\n');
  expect({ inserted, updated }).toEqual({ inserted: 1, updated: 0 });
  const [key, devFirstConnection] = ['00:1E:06:AA:BB:01', '2026-11-01 08:15:00'];
  const record = { ...BLANK_DEVICE, devMac: key, devName: 'nas', devLastIP: '10.0.0.1', devFirstConnection };
  expect(put).toEqual([{ key, record, byPerson: ['devName'] }]);
});

test('a column that the file lacks keeps its value, and a device that does not change is not written', async () => {
  const known = collection({ devMac: '00:1E:06:AA:BB:01', devName: 'old', devOwner: 'me', devFavorite: 1 });
  const changed = await imported('devmac,devname\n00:1e:06:aa:bb:01,new\n', known);
  expect(changed.put[0]?.record).toMatchObject({ devName: 'new', devOwner: 'me', devFavorite: 1 });
  expect(changed).toMatchObject({ inserted: 1, updated: 1, remove: [] });
  const own = setByPerson(known, 'devName');
  expect((await imported('devmac,devname\n00:1e:06:aa:bb:01,old\n', own)).put).toEqual([]);
});

test("what a file says is a person's word, except what is observed and what says nothing; once is enough", async () => {
  const csv =
    'devMac,devName,devLastIP,devVendor,devFavorite,devAlertDown,devPresentLastScan,devOwner,devLastConnection\n' +
    '00:1E:06:AA:BB:01,nas,10.0.0.1,Acme,1,0,1,,2026-01-01 00:00:00\n' +
    '00:1E:06:AA:BB:02,(unknown),,,0,0,0,,\n';
  const { put } = await imported(csv);
  expect(put.map(({ byPerson }) => byPerson)).toEqual([['devName', 'devVendor', 'devFavorite'], undefined]);
  const again = await imported(csv, new Snapshot('home', 2, put));
  expect(again).toMatchObject({ put: [], updated: 2 });
});

test("a file that says what is there already makes it a person's word, and takes nothing else away", async () => {
  const sightings = { main: { epoch: 1, n: 7, online: true, since: 1_763_800_000_000 } };
  const [device] = collection({ devMac: '00:1E:06:AA:BB:01', devName: 'nas', devOwner: 'me' }).devices;
  const known = { ...(device as StoredDevice), sightings, byPerson: ['devOwner' as const] };
  const { put } = await imported('devMac,devName\n00:1E:06:AA:BB:01,nas\n', new Snapshot('home', 1, [known]));
  expect(put).toEqual([{ ...known, byPerson: ['devName', 'devOwner'] }]);
});

test.each([
  ['devMac,devStatus', 'online', { devPresentLastScan: 1 }],
  ['devMac,devStatus', 'Off-line', { devPresentLastScan: 0 }],
  ['devMac,devStatus', 'down', { devPresentLastScan: 0, devAlertDown: 1 }],
  ['devMac,devStatus', 'archived', { devIsArchived: 1 }],
  ['devMac,devStatus', 'NEW', { devIsNew: 1 }],
  ['devMac,devPresentLastScan,devStatus', '0,online', { devPresentLastScan: 0 }],
])('%s: the status %s sets its flags, which a column of their own outweighs', async (header, cells, flags) => {
  const { put } = await imported(`${header}\n00:1E:06:AA:BB:01,${cells}\n`);
  expect(put[0]?.record).toMatchObject(flags);
});

test('Internet is a device and a parent in any letter case; null is no parent', async () => {
  const { put } = await imported('devMac,devParentMAC\ninternet,null\n00:1E:06:AA:BB:01,INTERNET\n');
  expect(put.map(({ key, record }) => [key, record.devParentMAC])).toEqual([
    ['Internet', ''],
    ['00:1E:06:AA:BB:01', 'Internet'],
  ]);
});

test.each([
  ['', 'sensor,\nsensor,\nlamp,\n', 'sensor,\n'],
  [', also by its extra columns', 'sensor,1\nsensor,2\nsensor,\n', 'sensor,3\n'],
])('rows without MAC are devices of their own%s; a repeated import adds nothing', async (_, rows, more) => {
  const csv = `devName,Rack\n${rows}`;
  const first = await imported(csv);
  expect(new Set(first.put.map(({ key }) => key)).size).toBe(3);
  const known = new Snapshot('home', 2, first.put);
  expect(await imported(csv, known)).toMatchObject({ inserted: 3, updated: 3, put: [] });
  expect((await imported(`${csv}${more}`, known)).put).toHaveLength(1);
});

test('replace removes what no readable row names, also when one repeats a MAC, and never for a file that names no device', async () => {
  const known = collection(
    ...['00:1E:06:AA:BB:01', '00:1E:06:AA:BB:02', '00:1E:06:AA:BB:03'].map((devMac) => ({ devMac })),
    { devName: 'without MAC' },
  );
  const removed = async (csv: string, allowSkipped = false) => {
    requireReplaceable(await readImport(Buffer.from(csv)), allowSkipped);
    return (await imported(csv, known, 'replace')).remove;
  };
  const bad = 'devMac,devLastIP\n00:1E:06:AA:BB:01,\n00:1E:06:AA:BB:02,not an address\n';
  const message = expect.stringContaining('while a row cannot be read, such as line 3: devLastIP: "not an address"');
  await expect(removed(bad)).rejects.toMatchObject({ message, fields: [{ path: 'query.allowSkipped' }] });
  expect(await removed(bad, true)).toEqual(['00:1E:06:AA:BB:03', '~3']);
  expect((await imported(bad, known)).remove).toEqual([]);
  const twice = 'devMac\n00:1E:06:AA:BB:01\n00:1e:06:aa:bb:01\n';
  expect(await removed(twice)).toEqual(['00:1E:06:AA:BB:02', '00:1E:06:AA:BB:03', '~3']);
  for (const none of ['devMac\nnonsense\n', 'devMac,devName\n,\n,,x\n']) {
    const refusal = { code: 'replace_refused', message: expect.stringContaining('names no device') };
    for (const allow of [false, true]) await expect(removed(none, allow), none).rejects.toMatchObject(refusal);
  }
});

test.each([
  ['', 'an empty file'],
  ['this is not csv\n', 'prose'],
  ['a,b\n1,2\n', 'unknown columns'],
  ['devMac,devName,DEVMAC\n', 'a column twice'],
])('a file without a usable header is refused: %j (%s)', async (text) => {
  await expect(readImport(Buffer.from(text))).rejects.toMatchObject({ code: 'malformed_csv' });
});

test('names of ignored columns come as they are written; the first of them, and shortened', async () => {
  const many = Array.from({ length: 200 }, (_, i) => `column ${i}`);
  const { ignoredColumns } = await imported(`devName, My Column ,,${'x'.repeat(500)},${many.join(',')}\n`);
  expect(ignoredColumns).toEqual([' My Column ', 'x'.repeat(100), ...many.slice(0, 98)]);
});

test('an apostrophe is taken away where our export has put it, and stays in a file of another system', async () => {
  const namesIn = async (header: string) => {
    const columns = header.split(',');
    const row = (mac: string, name: string) =>
      columns.map((column) => (column === 'devMac' ? mac : column === 'devName' ? name : '')).join();
    const rows = [header, row('00:1E:06:AA:BB:01', "'=x"), row('00:1E:06:AA:BB:02', "''=x")];
    const { put } = await imported(rows.join('\n'));
    return put.map(({ record }) => record.devName);
  };
  for (const ours of [
    'devMac,devName,devIP',
    'devName,devMac,devGUID',
    DEVICE_FIELDS.join(),
    `${DEVICE_FIELDS.join()},devScan,devSyncHubNode`,
    // With a column less, and with one more and an empty one, as a spreadsheet may save it.
    `${DEVICE_FIELDS.filter((field) => field !== 'devType').join()},devScan,My note,`,
  ]) {
    expect([ours, ...(await namesIn(ours))]).toEqual([ours, '=x', "'=x"]);
  }
  for (const theirs of ['devMac,devName,devOwner,devType,devScan', 'devMac,devScan,devName', 'asset,devMac,devName']) {
    expect([theirs, ...(await namesIn(theirs))]).toEqual([theirs, "'=x", "''=x"]);
  }
});

test('an extra column is kept; an empty cell clears it, and a file without it keeps it', async () => {
  const first = await imported('devMac,Rack,devScan\n00:1E:06:AA:BB:01, 12 ,1\n00:1E:06:AA:BB:02,,\n');
  expect(first.put.map(({ record }) => record.extra)).toEqual([{ Rack: ' 12 ', devScan: '1' }, NO_EXTRA]);
  expect(first.put[1]?.record.extra).toBe(NO_EXTRA);
  const known = new Snapshot('home', 2, first.put);
  expect((await imported('devMac,devName\n00:1E:06:AA:BB:01,nas\n', known)).put[0]?.record).toMatchObject({
    devName: 'nas',
    extra: { Rack: ' 12 ', devScan: '1' },
  });
  const cleared = await imported('devMac,Rack\n00:1E:06:AA:BB:01,\n', known);
  expect(cleared.put[0]?.record.extra).toEqual({ devScan: '1' });
  const none = await imported('devMac,Rack,devScan\n00:1E:06:AA:BB:01,,\n', known);
  expect(none.put[0]?.record.extra).toBe(NO_EXTRA);
  expect((await imported('devMac,devScan,Rack\n00:1E:06:AA:BB:01,1, 12 \n', known)).put).toEqual([]);
});

test('a name that a field has in any letter case is the field; other names differ by letter case; of two equal ones the first is kept', async () => {
  const csv = 'DEVMAC,DevGuid,Rack,rack,DEVICE,Rack,DEVIP\n00:1E:06:AA:BB:01,g1,a,b,c,d,10.0.0.1\n';
  const { put, ignoredColumns } = await imported(csv);
  expect(put[0]?.record).toMatchObject({
    devGUID: 'g1',
    devLastIP: '10.0.0.1',
    extra: { DEVICE: 'c', Rack: 'a', rack: 'b' },
  });
  expect(Object.keys(put[0]?.record.extra ?? {})).toEqual(['DEVICE', 'Rack', 'rack']);
  expect(ignoredColumns).toEqual(['Rack']);
  await expect(readImport(Buffer.from('devMac,devGUID,DEVguid\n'))).rejects.toMatchObject({ code: 'malformed_csv' });
});

test('values of extra columns that are too long, or too long together, are left as they were, with a remark', async () => {
  const long = 'x'.repeat(1_000);
  const csv = [
    'devMac,a,b,c,d,e',
    `00:1E:06:AA:BB:01,${long}x,1,,,`,
    `00:1E:06:AA:BB:02,${long},${long},${long},${long},${long}`,
  ].join('\n');
  const { put, adjusted } = await imported(csv);
  expect(put.map(({ record }) => Object.keys(record.extra).join())).toEqual(['b', 'a,b,c,d']);
  expect(adjusted).toEqual({
    count: 2,
    named: [
      { line: 2, reason: 'a: longer than 1000 characters; left as it was' },
      { line: 3, reason: 'e: the extra columns of a device hold at most 4096 characters; left as it was' },
    ],
  });
  // What the device had in other columns stays.
  const more = await imported(`devMac,f,a\n00:1E:06:AA:BB:02,${long},1\n`, new Snapshot('home', 2, put));
  const lengths = Object.entries(more.put[0]?.record.extra ?? {}).map(([name, value]) => `${name} ${value.length}`);
  expect(lengths).toEqual(['a 1', 'b 1000', 'c 1000', 'd 1000', 'f 1000']);
  const tooMuch = await imported(`devMac,f\n00:1E:06:AA:BB:02,${long}\n`, new Snapshot('home', 2, put));
  expect(tooMuch.put).toEqual([]);
  expect(tooMuch.adjusted.named).toEqual([{ line: 2, reason: expect.stringContaining('f: the extra columns') }]);
  // What it had in the same column as well: too long by itself, with the others of the file, or with what else it has.
  const known = (await imported('devMac,a,b,e\n00:1E:06:AA:BB:02,1,2,3\n')).put;
  const again = (csv: string) => imported(csv, new Snapshot('home', 2, known));
  const alone = await again(`devMac,a,b\n00:1E:06:AA:BB:02,${long}x,5\n`);
  expect(alone.put[0]?.record.extra).toEqual({ a: '1', b: '5', e: '3' });
  const together = await again(`devMac,a,b,c,d,e\n00:1E:06:AA:BB:02,${Array(5).fill(long).join()}\n`);
  expect(together.put[0]?.record.extra).toMatchObject({ a: long, e: '3' });
  const beside = await imported(`devMac,e,b\n00:1E:06:AA:BB:02,${long},\n`, new Snapshot('home', 2, more.put));
  expect(Object.keys(beside.put[0]?.record.extra ?? {})).toEqual(['a', 'c', 'd', 'e', 'f']);
  for (const { adjusted } of [alone, together]) expect(adjusted.named[0]?.reason).toMatch(/left as it was$/);
});

test('a site has room for fifty extra columns; those beyond them are ignored, and the known ones are not', async () => {
  const names = (from: number, count: number) => Array.from({ length: count }, (_, i) => `c${from + i}`);
  const file = (columns: string[]) => `devMac,${columns.join()}\n00:1E:06:AA:BB:01,${columns.map(() => 'x').join()}\n`;
  const many = await imported(file(names(0, 60)));
  expect(Object.keys(many.put[0]?.record.extra ?? {})).toHaveLength(MAX_EXTRA_COLUMNS);
  expect(many.ignoredColumns).toEqual(names(50, 10));
  const known = new Snapshot('home', 2, (await imported(file(names(0, 45)))).put);
  const { put, ignoredColumns } = await imported(file(names(40, 20)), known);
  expect(Object.keys(put[0]?.record.extra ?? {}).sort()).toEqual(names(0, 50).sort());
  expect(ignoredColumns).toEqual(names(50, 10));
});

test('a text that is too long is cut, and adjusted says so; of a short or an encoded one a part would mean something else', async () => {
  const { put, adjusted } = await imported(
    [
      'devMac,devComments,devFQDN,devIcon',
      `00:1E:06:AA:BB:01,${'x'.repeat(4001)},${'x'.repeat(255)},${'x'.repeat(4000)}`,
      `00:1E:06:AA:BB:02,${'x'.repeat(3999)}★★,${'x'.repeat(256)},${'x'.repeat(4001)}`,
      `00:1E:06:AA:BB:03,${'x'.repeat(3999)}😀,,`,
      `00:1E:06:AA:BB:04,${'x'.repeat(4000)},,`,
      `nonsense,${'x'.repeat(4001)},,`,
    ].join('\n'),
  );
  const texts = put.map(({ record }) => [record.devComments, record.devFQDN, record.devIcon]);
  const lengths = texts.map((some) => some.map((text) => text.length));
  expect(lengths).toEqual([[4000, 255, 4000], ...[4000, 3999, 4000].map((length) => [length, 0, 0])]);
  const isCut = 'devComments: cut at 4000 characters';
  const left = ['devFQDN: longer than 255 characters', 'devIcon: longer than 4000 characters'];
  expect(adjusted).toEqual({
    count: 3,
    named: [
      { line: 2, reason: isCut },
      { line: 3, reason: [isCut, ...left.map((one) => `${one}; left as it was`)].join('; ') },
      { line: 4, reason: isCut },
    ],
  });
});

test('of many lines the first thousand are named, and all are counted', async () => {
  const bad = await readImport(Buffer.from(`devMac\n${'x\n'.repeat(5_000)}`));
  expect([bad.skipped.count, bad.skipped.named.length, bad.skipped.named.at(-1)?.line]).toEqual([5_000, 1_000, 1_001]);
  const cut = await imported(`devName,devParentMAC\n${'x,y\n'.repeat(5_000)}`);
  expect([cut.inserted, cut.adjusted.count, cut.adjusted.named.length]).toEqual([5_000, 5_000, 1_000]);
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
  const rows = without.map(({ devName }) => `,${devName}\n`);
  const file = await readImport(Buffer.from(`devMac,devName\n${rows.join('')}`));
  const known = setByPerson(collection(...without), 'devName');
  const turns = await turnsDuring(async () => {
    const planned = await planImport(file, known, 'replace', NOW);
    expect(planned).toMatchObject({ inserted: 5_000, updated: 5_000, put: [] });
  });
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
  const filled = text.filter((value) => value !== '');
  const extra = fc.dictionary(extraName, filled, { maxKeys: 4 }).map(sorted);
  const fields = { devName: text, devComments: text, devVendor: text, devParentPort: text, devFQDN: text };
  const texts = fc.record({ ...fields, extra });
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 5 }), async (records) => {
      const first = { devFirstConnection: '2026-11-01 08:15:00' };
      const macOf = (i: number) => ({ devMac: `00:1E:06:00:00:0${i}` });
      const before = records.map((record, i) => ({ ...BLANK_DEVICE, ...record, ...first, ...macOf(i) }));
      const csv = await exported(collection(...before));
      const { put, skipped, adjusted, ignoredColumns } = await imported(csv);
      expect([skipped, adjusted.count, ignoredColumns]).toEqual([[], 0, []]);
      expect(put.map(({ record }) => JSON.stringify(record))).toEqual(before.map((record) => JSON.stringify(record)));
      expect(await exported(new Snapshot('home', 2, put))).toBe(csv);
      expect((await imported(csv, new Snapshot('home', 2, put))).put).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** Among them what every object inherits, and names that differ from fields by a little. */
const extraName = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,12}$/),
    fc.constantFrom('constructor', 'toString', 'hasOwnProperty', 'valueOf', 'extra', 'device'),
    fc.constantFrom('devMacSource', 'x'.repeat(100)),
  )
  .filter((name) => !KNOWN_NAMES.has(name.toLowerCase()) && !hasMeaning(name));

/** Whether it is a field, also as other programs call it. */
function hasMeaning(name: string): boolean {
  try {
    return headerOf([name.trim()]).columns[0] !== null;
  } catch {
    return false;
  }
}

const KNOWN_NAMES = new Set([...DEVICE_FIELDS.map((field) => field.toLowerCase()), 'devip', 'devstatus']);

function sorted(extra: Record<string, string>): Extra {
  const entries = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? NO_EXTRA : Object.fromEntries(entries);
}

test('whatever the header says: each column is a field, is kept, or is named as ignored', async () => {
  const name = fc.oneof(
    extraName,
    fc.string({ maxLength: 12 }).filter((name) => !hasMeaning(name)),
    fc.string({ unit: 'grapheme', maxLength: 6 }).filter((name) => !hasMeaning(name)),
    fc.constantFrom(...DEVICE_FIELDS, '__proto__', 'x'.repeat(101), ' Rack ', '=cmd', '-x', ''),
    fc.constantFrom(...DEVICE_FIELDS).map((field) => field.toUpperCase()),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { maxLength: 60, selector: (text) => text.trim().toLowerCase() }),
      async (names) => {
        const header = ['devMac', ...names.filter((text) => text.trim().toLowerCase() !== 'devmac')];
        const value = (text: string) => GOOD_CELLS.get(text.trim().toLowerCase()) ?? 'v';
        const cells = header.map((text, i) => (i === 0 ? '00:1E:06:AA:BB:01' : value(text)));
        const quoted = (row: string[]) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join();
        const csv = `${quoted(header)}\r\n${quoted(cells)}`;
        const { put, skipped, ignoredColumns } = await imported(csv);
        expect(skipped).toEqual([]);
        const { extra, ...fields } = put[0]?.record ?? BLANK_DEVICE;
        expect(Extra.safeParse(extra).success).toBe(true);
        const left = header.filter((text) => !KNOWN_NAMES.has(text.trim().toLowerCase()) && text.trim() !== '');
        const kept = left.filter((text) => ExtraName.safeParse(text.trim()).success).slice(0, MAX_EXTRA_COLUMNS);
        expect(Object.keys(extra)).toEqual(kept.map((text) => text.trim()).sort());
        expect(ignoredColumns).toEqual(left.filter((text) => !kept.includes(text)).map((text) => text.slice(0, 100)));
        expect(Object.keys(fields)).toEqual(DEVICE_FIELDS);
        const again = await imported(await exported(new Snapshot('home', 2, put)));
        expect(again.put.every(({ record }) => sameRecord(record, { ...fields, extra }))).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});

/** A cell that each field takes, by the name of the field in lower case. */
const GOOD_CELLS = new Map<string, string>([
  ...DEVICE_FIELDS.map((field) => {
    const kind = DEVICE_FIELD_KINDS[field];
    const times = { time: '2026-01-01 00:00:00' };
    const cells: Partial<Record<FieldKind, string>> = { flag: '1', address: '10.0.0.1', parent: 'Internet', ...times };
    return [field.toLowerCase(), cells[kind] ?? 'v'] as const;
  }),
  ['devip', '10.0.0.1'],
  ['devstatus', ''],
]);
