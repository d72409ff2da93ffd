import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_MACS, type Sighting, type SightingsBatch } from '../../shared/agent/discovery.ts';
import { BLANK_DEVICE, type DeviceField, INTERNET } from '../../shared/device.ts';
import { iconOf } from '../../shared/recognition/kinds.ts';
import type { StoredDevice } from '../devices/collection/device-codec.ts';
import { unpackObserved } from '../devices/collection/observed.ts';
import { Snapshot } from '../devices/collection/snapshot.ts';
import { formatTime } from '../devices/time.ts';
import { MAX_DISCOVERED, mergeSightings, type Source } from './merge-sightings.ts';

const NOW = new Date('2026-11-01T08:15:00Z');
const MACS = ['00:1E:06:00:00:01', '00:1E:06:00:00:02', '00:1E:06:00:00:03'];
const EPOCH = NOW.getTime() - 86_400_000;

const source = (agent = 'main', connected: string[] = ['main', 'attic']): Source => ({
  agent,
  agents: new Map(['main', 'attic'].map((name) => [name, { connected: connected.includes(name) }])),
  now: NOW,
});
const sighting = (mac: string, n: number, rest: Partial<Sighting> = {}): Sighting => ({
  ...{ mac, n, online: true, since: NOW.getTime() - 60_000, seenAt: NOW.getTime() - 1_000, ip: '192.168.1.20' },
  ...rest,
});
const batch = (sightings: Sighting[], rest: Partial<SightingsBatch> = {}): SightingsBatch => ({
  ...{ epoch: EPOCH, n: Math.max(0, ...sightings.map(({ n }) => n)), covers: null, sightings },
  ...rest,
});
const collection = (devices: StoredDevice[] = []) => new Snapshot('home', 1, devices);

async function merged(snapshot: Snapshot, one: SightingsBatch, by = source()): Promise<Snapshot> {
  return snapshot.with(mergeSightings(snapshot, one, by).put, [], snapshot.version + 1);
}
async function mergedAll(batches: [SightingsBatch, Source][], snapshot = collection()): Promise<Snapshot> {
  let all = snapshot;
  for (const [one, by] of batches) all = await merged(all, one, by);
  return all;
}
const recordOf = (snapshot: Snapshot, mac = MACS[0] ?? '') => snapshot.get(mac)?.record;

test('a device that is seen for the first time is new, online, and has what the agent knows of it', async () => {
  const seen = sighting(MACS[0] ?? '', 1, { name: { text: 'nas', source: 'dns' }, vendor: 'Synology' });
  expect(recordOf(await merged(collection(), batch([seen])))).toEqual({
    ...{ ...BLANK_DEVICE, devMac: MACS[0], devName: 'nas', devVendor: 'Synology', devType: 'NAS' },
    ...{ devIcon: iconOf('nas'), devLastIP: '192.168.1.20', devIsNew: 1, devPresentLastScan: 1 },
    ...{ devFirstConnection: '2026-11-01 08:14:00', devLastConnection: '2026-11-01 08:14:59' },
  });
});

test('a device that only a lease knows is new and not monitored; a repeated lease changes nothing', async () => {
  const [key = ''] = MACS;
  const observations = [{ source: 'host-name' as const, value: 'lamp', at: EPOCH }];
  const lease = (n: number, rest: Partial<Sighting> = {}) =>
    batch([sighting(key, n, { online: false, unmonitored: true, observations, ...rest })]);
  const found = await merged(collection(), lease(1));
  expect(found.get(key)?.sightings).toBeUndefined();
  expect(recordOf(found)).toMatchObject({ devName: 'lamp', devIsNew: 1, devPresentLastScan: 0, devLastConnection: '' });
  expect(mergeSightings(found, lease(2), source()).put).toEqual([]);
  expect(recordOf(await merged(found, lease(3, { ip: '10.9.0.9' })))?.devLastIP).toBe('10.9.0.9');
  // The report of an agent that sees it stays, and one that follows counts.
  const seen = await merged(found, batch([sighting(key, 4)]), source('attic'));
  expect(recordOf(await merged(seen, lease(5)))?.devPresentLastScan).toBe(1);
  expect(recordOf(await merged(found, batch([sighting(key, 6)])))?.devPresentLastScan).toBe(1);
  // One of the same agent, which does not see it any longer, does not.
  const once = await merged(found, batch([sighting(key, 8)]));
  expect((await merged(once, lease(9))).get(key)).toMatchObject({ record: { devPresentLastScan: 0 } });
  // Nor does a lease bring back what a person has deleted.
  expect(mergeSightings(collection(), lease(7), { ...source(), deleted: new Set(MACS) }).put).toEqual([]);
});

test('a source of an agent gives the radio network, unless a person has set it', async () => {
  const [key = ''] = MACS;
  const at = (n: number, value: string) =>
    batch([sighting(key, n, { observations: [{ source: 'link', value, at: EPOCH }] })]);
  const wireless = await merged(collection(), at(1, 'wireless Home 5 GHz'));
  expect(recordOf(wireless)?.devSSID).toBe('Home 5 GHz');
  expect(recordOf(await merged(wireless, at(2, 'wired')))?.devSSID).toBe('');
  const record = { ...BLANK_DEVICE, devMac: key, devSSID: 'mine' };
  const set = collection([{ key, record, byPerson: ['devSSID'] }]);
  expect(recordOf(await merged(set, at(3, 'wireless Home')))?.devSSID).toBe('mine');
  const unknown = collection([{ key, record }]);
  expect(recordOf(await merged(unknown, batch([sighting(key, 4)])))?.devSSID).toBe('mine');
});

test('a change was noticed when the agent says so, but not later than now, and a device that is back now', () => {
  const known = sighting(MACS[2] ?? '', 1);
  const snapshot = collection([
    { key: known.mac, record: { ...BLANK_DEVICE, devMac: known.mac, devPresentLastScan: 1 } },
  ]);
  const [minuteAgo, later] = [NOW.getTime() - 60_000, NOW.getTime() + 60_000];
  const noticed = (rest: Partial<Sighting>, mac = MACS[0] ?? '', deleted: string[] = []) =>
    mergeSightings(snapshot, batch([{ ...known, n: 2, mac, ...rest }]), {
      ...source(),
      deleted: new Set(deleted),
    }).noticed.get(mac);
  expect(noticed({ changedAt: minuteAgo })).toBe(minuteAgo);
  expect(noticed({ changedAt: later })).toBe(NOW.getTime());
  expect(noticed({ since: minuteAgo })).toBe(minuteAgo);
  expect(noticed({ changedAt: minuteAgo }, MACS[0], [...MACS])).toBe(NOW.getTime());
  // Not the time at which it came online: another address is what has changed.
  expect(noticed({ ip: '192.168.1.77', since: minuteAgo }, known.mac)).toBe(NOW.getTime());
});

test('all addresses are kept, and the lowest that others reach are its main ones, unless a person set them', async () => {
  const key = MACS[0] ?? '';
  const ips = ['10.0.0.9', '10.0.0.10', '169.254.3.4', '2001:db8::5', '2001:db8::10', 'fe80::1'];
  const before = (byPerson: DeviceField[]): StoredDevice => ({
    key,
    record: { ...BLANK_DEVICE, devMac: key, devPrimaryIPv4: '192.0.2.1' },
    byPerson,
  });
  const seen = batch([sighting(key, 1, { ips: [...ips].reverse() })]);
  expect(recordOf(await merged(collection([before([])]), seen))).toMatchObject({
    devAddresses: [...ips].reverse().join(','),
    devPrimaryIPv4: '10.0.0.9',
    devPrimaryIPv6: '2001:db8::5',
  });
  expect(recordOf(await merged(collection([before(['devPrimaryIPv4'])]), seen))?.devPrimaryIPv4).toBe('192.0.2.1');
  const unknown = await merged(await merged(collection(), seen), batch([sighting(key, 2)]));
  expect(recordOf(unknown)?.devPrimaryIPv4).toBe('10.0.0.9');
});

test.each([
  ['address', '192.168.1.20 is also claimed by 00:1E:06:00:00:02, 00:1E:06:00:00:03'],
  ['gateway', '192.168.1.20, the address of the gateway, is also claimed by 00:1E:06:00:00:02, 00:1E:06:00:00:03'],
  ['dhcp', 'hands out addresses, as 00:1E:06:00:00:02, 00:1E:06:00:00:03 do too'],
] as const)('a conflict of the kind %s is said in words, until it is over', async (kind, words) => {
  const key = MACS[0] ?? '';
  const conflict = { kind, ip: '192.168.1.20', others: MACS.slice(1) };
  const during = await merged(collection(), batch([sighting(key, 1, { conflict })]));
  expect(recordOf(during)?.devConflict).toBe(words);
  expect(recordOf(await merged(during, batch([sighting(key, 2)])))?.devConflict).toBe('');
});

test('a device that made its MAC up and does not come back is archived after a week, and is there again when it is', async () => {
  const gone = (days: number) => ({ online: false, random: true as const, seenAt: NOW.getTime() - days * 86_400_000 });
  const device = (mac: string, days: number, devRandomMAC: 0 | 1 = 1): StoredDevice => {
    const devLastConnection = formatTime(new Date(gone(days).seenAt));
    const sightings = { main: { epoch: EPOCH, n: 1, online: false, since: 1 } };
    return { key: mac, record: { ...BLANK_DEVICE, devMac: mac, devRandomMAC, devLastConnection }, sightings };
  };
  const [phone = '', recent = '', named = '', printer = ''] = [...MACS, '00:1E:06:00:00:04'];
  const before = collection([
    ...[device(phone, 8), device(recent, 6)],
    ...[{ ...device(named, 8), byPerson: ['devName'] as const }, device(printer, 8, 0)],
  ]);
  const archived = ({ devices }: Snapshot) =>
    devices.filter(({ record }) => record.devIsArchived === 1).map(({ key }) => key);
  const reports = [sighting(phone, 1, gone(8)), sighting(recent, 1, gone(6)), sighting(named, 1, gone(8))];
  expect(archived(await merged(before, batch(reports)))).toEqual([]);
  const after = await merged(before, batch(reports, { n: 2, covers: [...ALL_MACS] }));
  expect(archived(after)).toEqual([phone]);
  expect(archived(await merged(after, batch([sighting(phone, 3, { random: true })])))).toEqual([]);
});

test('one whose name is not known is called so, and one that is gone already is not added', async () => {
  const sightings = [sighting(MACS[0] ?? '', 1), sighting(MACS[1] ?? '', 2, { online: false })];
  const after = await merged(collection(), batch(sightings));
  expect(after.devices.map(({ record }) => record.devName)).toEqual(['(unknown)']);
});

const said = fc.record({
  agent: fc.constantFrom('main', 'attic'),
  mac: fc.constantFrom(...MACS),
  epoch: fc.constantFrom(EPOCH, EPOCH + 1),
  n: fc.integer({ min: 1, max: 5 }),
});
type Said = typeof said extends fc.Arbitrary<infer Value> ? Value : never;
/** What one agent reports under one number is always the same. */
function batchOf({ agent, mac, epoch, n }: Said): [SightingsBatch, Source] {
  const codes = Buffer.from(`${agent}${mac}${epoch}${n}`);
  const salt = codes.reduce((sum, code) => (sum * 31 + code) % 997, 7);
  const seen = sighting(mac, n, { online: salt % 3 > 0, ip: `192.168.1.${(salt % 250) + 1}` });
  return [batch([seen], { epoch }), source(agent)];
}

/** A device that is not known is not added by being gone: the order counts then, until it has been seen. */
const everywhere = () => mergedAll(MACS.map((mac) => [batch([sighting(mac, 1)], { epoch: 1 }), source()]));

test('what agents say of known devices may come in any order and repeated: the same devices are online in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(said, { maxLength: 12 }),
      fc.array(fc.nat({ max: 11 }), { maxLength: 6 }),
      async (all, again) => {
        const inOrder = await mergedAll(all.map(batchOf), await everywhere());
        const repeated = [...all, ...again.flatMap((i) => all[i] ?? [])].reverse();
        const shuffled = await mergedAll(repeated.map(batchOf), await everywhere());
        const shown = ({ devices }: Snapshot) =>
          devices.map(({ key, record, sightings }) => [key, record.devPresentLastScan, sightings]);
        expect(shown(shuffled)).toEqual(shown(inOrder));
      },
    ),
    { numRuns: 150 },
  );
});

test('a name, vendor or parent that a person has set stays; address and presence are what is seen', async () => {
  const record = { ...BLANK_DEVICE, devMac: MACS[0] ?? '', devName: 'mine', devVendor: 'me', devLastIP: '192.168.1.9' };
  const mine: StoredDevice = { key: MACS[0] ?? '', record, byPerson: ['devName', 'devVendor', 'devParentMAC'] };
  const seen = sighting(mine.key, 1, { name: { text: 'other', source: 'mdns' }, vendor: 'Other' });
  const router = sighting(MACS[1] ?? '', 2, { gateway: true });
  expect(recordOf(await merged(collection([mine]), batch([seen, router])))).toMatchObject({
    devName: 'mine',
    devVendor: 'me',
    devParentMAC: '',
    devLastIP: '192.168.1.20',
    devPresentLastScan: 1,
  });
});

test('a device is online while a connected agent sees it; one that is connected again and says the same is heard again', async () => {
  const key = MACS[0] ?? '';
  const seen = batch([sighting(key, 1)]);
  const gone = batch([sighting(key, 2, { online: false })]);
  const both = await merged(await merged(collection(), seen), seen, source('attic'));
  const notByMain = await merged(both, gone);
  const byNone = await merged(notByMain, gone, source('attic'));
  const alone = await merged(both, gone, source('attic', ['attic']));
  const isOnline = (snapshot: Snapshot) => recordOf(snapshot)?.devPresentLastScan;
  expect([notByMain, byNone, alone].map(isOnline)).toEqual([1, 0, 0]);
  expect(isOnline(await merged(alone, seen))).toBe(1);
});

test('the gateway hangs on the internet, and what has no parent on the gateway, whichever comes first', async () => {
  const router = MACS[2] ?? '';
  const both = batch([sighting(MACS[0] ?? '', 1), sighting(router, 2, { gateway: true })]);
  const together = await merged(collection(), both);
  expect(together.devices.map(({ record }) => record.devParentMAC)).toEqual([router, INTERNET]);
  const later = await merged(together, batch([sighting(MACS[1] ?? '', 3)]));
  expect(recordOf(later, MACS[1])?.devParentMAC).toBe(router);
});

test('what an agent does not see any more is gone with its next digest, but not at once when it has lost what it knew', async () => {
  const known = await merged(collection(), batch(MACS.map((mac, i) => sighting(mac, i + 1))));
  const presentAfter = async (digest: Partial<SightingsBatch>) => {
    const one = batch([sighting(MACS[0] ?? '', 1)], { covers: [...ALL_MACS], ...digest });
    return (await merged(known, one)).devices.map(({ record }) => record.devPresentLastScan);
  };
  expect(await presentAfter({ epoch: NOW.getTime() - 5 * 60_000 })).toEqual([1, 1, 1]);
  expect(await presentAfter({ epoch: NOW.getTime() - 21 * 60_000 })).toEqual([1, 0, 0]);
  expect(await presentAfter({ n: 4 })).toEqual([1, 0, 0]);
  expect(await presentAfter({ n: 3 })).toEqual([1, 0, 1]); // The last one has been seen since.
});

test('times that lie in the future count as now, and an older sign does not put the last one back', async () => {
  const key = MACS[0] ?? '';
  const later = NOW.getTime() + 1e12;
  const future = await merged(collection(), batch([sighting(key, 1, { since: later, seenAt: later })]));
  expect(recordOf(future)).toMatchObject({
    devFirstConnection: '2026-11-01 08:15:00',
    devLastConnection: '2026-11-01 08:15:00',
  });
  const after = await merged(future, batch([sighting(key, 2, { seenAt: NOW.getTime() - 3_600_000, online: false })]));
  expect(recordOf(after)?.devLastConnection).toBe('2026-11-01 08:15:00');
});

test('an agent that makes devices up cannot fill a collection without end', () => {
  const devices = Array.from({ length: MAX_DISCOVERED - 1 }, (_, i) => ({ key: `~${i}`, record: BLANK_DEVICE }));
  const outcome = mergeSightings(collection(devices), batch(MACS.map((mac, i) => sighting(mac, i + 1))), source());
  expect([outcome.put.length, outcome.refused]).toEqual([1, 2]);
});

test('what agents observe is kept by agent, until another is reported or the agent is revoked', async () => {
  const [mac = ''] = MACS;
  const at = NOW.getTime() - 3_600_000;
  const observations = [{ source: 'upnp-model', value: 'HL-L2350DW', at }] as const;
  const name = { text: 'printer.lan', source: 'dns' } as const;
  const first = sighting(mac, 1, { name, vendor: 'Brother', observations: [...observations], changedAt: at });
  const both = await mergedAll([
    [batch([first]), source()],
    [batch([sighting(mac, 1, { observations: [{ source: 'dhcp-name', value: 'printer', at }] })]), source('attic')],
    // Not reported again: it is as it was.
    [batch([sighting(mac, 2, { name, vendor: 'Brother' })]), source()],
  ]);
  const of = (snapshot: Snapshot) => unpackObserved(snapshot.get(mac)?.observed);
  const named = [
    { source: 'dns', value: 'printer.lan', at },
    { source: 'mac-vendor', value: 'Brother', at },
  ];
  const attic = [{ source: 'dhcp-name', value: 'printer', at }];
  expect(of(both)).toEqual({ main: [...named, ...observations], attic });
  const without = { ...source(), agents: new Map([['main', { connected: true }]]) };
  const after = await merged(both, batch([sighting(mac, 3, { name, vendor: 'Brother', observations: [] })]), without);
  expect(of(after)).toEqual({ main: named });
});

test('a phone that makes up another MAC is the same device at once; one of a common name, one still there, or one of several is not', async () => {
  const [old, next, third] = ['02:00:00:00:00:01', '02:00:00:00:00:02', '02:00:00:00:00:03'] as const;
  const said = (name: string, options = '1,3,6,15') => ({
    random: true as const,
    observations: [
      { source: 'dhcp-name' as const, value: name, at: 1 },
      { source: 'dhcp-options' as const, value: options, at: 1 },
    ],
  });
  const gone = { online: false, since: NOW.getTime() - 500, seenAt: NOW.getTime() - 3_000 };
  const comes = { since: NOW.getTime() - 2_000 };
  /** What becomes of the second MAC, after these are known. */
  async function joinedBy(before: Sighting[], message: Sighting[]) {
    const start = collection();
    const known = await start.with(mergeSightings(start, batch(before), source()).put, [], 2);
    const { put, occurrences } = mergeSightings(known, batch(message), source());
    expect(put.every(({ record }) => record.devPresentLastScan === 1 || occurrences.length === 0)).toBe(true);
    return occurrences.map(({ type, device, detail }) => [type, device, detail?.macs]);
  }
  const anna = said('iPhone-von-Anna');
  const isOne = [['joined', old, next]];
  const goes = (n: number, as = anna) => sighting(old, n, { ...as, ...gone });
  const appears = (n: number, as = anna) => sighting(next, n, { ...as, ...comes });
  const before = [sighting(old, 1, { ...anna, seenAt: gone.seenAt })];
  expect(await joinedBy(before, [goes(2), appears(3)])).toEqual(isOne);
  // The former goes by a later message.
  expect(await joinedBy([...before, appears(2)], [goes(3)])).toEqual(isOne);
  expect(await joinedBy(before, [appears(3)])).toEqual([]);
  expect(await joinedBy(before, [goes(2), appears(3, said('iPhone-von-Anna', '1,3,6'))])).toEqual([]);
  const iphone = said('iPhone');
  const known = [sighting(old, 1, { ...iphone, seenAt: gone.seenAt })];
  expect(await joinedBy(known, [goes(3, iphone), appears(4, iphone)])).toEqual([]);
  expect(await joinedBy([...before, sighting(third, 2, anna)], [goes(3), appears(4)])).toEqual([]);
});
