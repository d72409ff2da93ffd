import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLANK_DEVICE, type DeviceRecord } from '../../shared/device.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { Snapshot } from './collection/snapshot.ts';
import { searchDevices } from './search.ts';

type Searched = Pick<DeviceRecord, 'devName' | 'devMac' | 'devLastIP'>;

const device = (key: string, searched: Searched): StoredDevice => ({ key, record: { ...BLANK_DEVICE, ...searched } });
const snapshot = new Snapshot('home', 1, [
  device('1', { devName: 'NAS Öst', devMac: '00:1E:06:AA:BB:01', devLastIP: '192.168.1.20' }),
  device('2', { devName: '100% _odd_', devMac: '00:1E:06:AA:BB:02', devLastIP: '192.168.1.100' }),
]);

test.each([
  ['nas', ['NAS Öst']],
  ['öst', ['NAS Öst']],
  ['0:1e:6:aa:bb:2', ['100% _odd_']],
  ['0-1E-6-AA-BB-2', ['100% _odd_']],
  ['%', ['100% _odd_']],
  ['_', ['100% _odd_']],
  ['01\u0000192', []],
  ['\u0000', []],
])('%j finds %j', async (query, found) => {
  expect((await searchDevices(snapshot, query)).map(({ record }) => record.devName)).toEqual(found);
});

/** What a search finds, written down in the plainest way. */
function matches({ devName, devMac, devLastIP }: Searched, query: string): boolean {
  const text = query.toLowerCase();
  if (text.includes('\u0000')) return false;
  if ([devName, devMac, devLastIP].some((field) => field.toLowerCase().includes(text))) return true;
  const isOtherNotation =
    /^([0-9a-f]{2}-)+[0-9a-f]{0,2}$/.test(text) ||
    /^[0-9a-f]{4}\.[0-9a-f]{1,4}(\.[0-9a-f]{0,4})?$/.test(text) ||
    /^[0-9a-f]{4,12}$/.test(text);
  return isOtherNotation && devMac.replaceAll(':', '').toLowerCase().includes(text.replace(/[.-]/g, ''));
}

/** Few different characters, so that texts occur in each other; some change their length or the whole text's width. */
const text = fc.string({
  unit: fc.constantFrom('a', 'A', '0', '1', 'e', ':', '.', '-', 'İ', 'Σ', 'ς', 'ü', '中', '\u0000'),
});
const mac = fc
  .array(fc.constantFrom('00', '1E', 'AA', 'E0', '0A'), { minLength: 6, maxLength: 6 })
  .map((bytes) => bytes.join(':'));
const lowerMac = mac.map((written) => written.toLowerCase());
const searched: fc.Arbitrary<Searched> = fc.record({
  devName: fc.oneof(text, lowerMac),
  devMac: fc.oneof(mac, fc.constantFrom('', 'Internet')),
  devLastIP: fc.constantFrom('', '10.0.0.1', '10.0.10.10', 'fe80::a:1e00', '2001:db8:aa:1e:a:e0:0:1'),
});
/** A device, the character at which the query begins, how long that is, and the notation of a MAC. */
const query = fc.oneof(
  text.filter((one) => one !== ''),
  fc
    .tuple(mac, fc.nat(16), fc.integer({ min: 1, max: 17 }), fc.constantFrom(':', '-', ''))
    .map(([written, from, length, between]) => written.slice(from, from + length).replaceAll(':', between))
    .filter((one) => one !== ''),
  fc.tuple(mac, fc.nat(14)).map(([written, length]) => {
    const digits = written.replaceAll(':', '');
    return digits.replace(/^(....)(....)/, '$1.$2.').slice(0, length + 1);
  }),
);

test('a search finds exactly the devices that contain its text, before and after a change, in pages of any size', async () => {
  const changes = fc.array(fc.tuple(fc.nat(1500), fc.option(searched)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(searched, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 1400 }),
      changes,
      query,
      fc.record({ from: fc.nat(1500), limit: fc.integer({ min: 1, max: 600 }) }),
      async (kinds, count, changed, given, range) => {
        const keyOf = (n: number) => String(n).padStart(5, '0');
        const even = Array.from({ length: count }, (_, i) => device(keyOf(2 * i), kinds[i % kinds.length] as Searched));
        const before = new Snapshot('home', 1, even);
        const distinct = [...new Map(changed.map(([n, what]) => [keyOf(n), what]))];
        const put = distinct.flatMap(([key, what]) => (what === null ? [] : [device(key, what)]));
        const remove = distinct.flatMap(([key, what]) => (what === null ? [key] : []));
        const after = await before.with(put, remove, 2);
        for (const one of [before, after]) {
          const expected = one.devices.filter(({ record }) => matches(record, given));
          expect((await searchDevices(one, given)).map(({ key }) => key)).toEqual(expected.map(({ key }) => key));
          const behind = one.devices.slice(range.from).filter(({ record }) => matches(record, given));
          expect(await searchDevices(one, given, range)).toEqual(behind.slice(0, range.limit));
        }
      },
    ),
    { numRuns: 30 },
  );
});

/** Devices that count how often they are prepared for the search. */
function countedDevices() {
  const reads = { count: 0 };
  const counted = (n: number): StoredDevice => {
    const key = `00:1E:06:00:${String(n).padStart(5, '0')}`;
    const record = { ...BLANK_DEVICE, devMac: key };
    Object.defineProperty(record, 'devName', { get: () => `device ${n + 0 * ++reads.count}` });
    return { key, record };
  };
  return { counted, reads };
}

test('after a change of one device only the devices around it are prepared anew', async () => {
  const { counted, reads } = countedDevices();
  const devices = Array.from({ length: 20_000 }, (_, i) => counted(2 * i));
  let current = new Snapshot('home', 1, devices);
  expect(await searchDevices(current, 'device 4444')).toHaveLength(1);
  expect(reads.count).toBe(20_000);
  for (let change = 0; change < 8; change++) {
    reads.count = 0;
    current = await current.with([counted(change * 1_000 + 1)], [], current.version + 1);
    expect(await searchDevices(current, `device ${change * 1_000 + 1}`)).not.toEqual([]);
    expect(reads.count).toBeLessThan(2 * 8 * 512);
  }
});

test('an index is remembered by the collection alone, not by the devices that were in it once', async () => {
  const { counted, reads } = countedDevices();
  const devices = Array.from({ length: 600 }, (_, i) => counted(i));
  await searchDevices(new Snapshot('home', 1, devices), 'device');
  await searchDevices(new Snapshot('home', 1, devices), 'device');
  expect(reads.count).toBe(1_200);
});
