import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeviceName, DiscoverySettings, DiscoveryState, Sighting, WatchedNetwork } from './discovery.ts';
import { fitToReport } from './fit-text.ts';
import { PROTOCOL_VERSION, Sightings } from './messages.ts';

const SIGHTING = {
  mac: '00:11:32:77:01:20',
  n: 3,
  online: true,
  since: 1_700_000_000_000,
  seenAt: 1_700_000_000_000,
  ip: '10.77.1.20',
  name: { text: 'nas.lan', source: 'dns' },
  vendor: 'Synology Incorporated',
};
const BATCH = {
  v: PROTOCOL_VERSION,
  t: 'sightings',
  epoch: 1_700_000_000_000,
  n: 3,
  covers: null,
  sightings: [SIGHTING],
};
const ALL = ['00:00:00:00:00:00', 'FF:FF:FF:FF:FF:FF'];

test('a sighting is what it should be', () => {
  expect(Sighting.parse(SIGHTING)).toEqual(SIGHTING);
  const ipv6 = { ...SIGHTING, ip: 'fd77:1::20', random: true, gateway: true };
  expect(Sighting.parse(ipv6)).toEqual(ipv6);
  expect(Sighting.parse({ ...SIGHTING, ip: null }).ip).toBeNull();
});

test.each([
  ...['00:11:32:77:01:2a', '001132770120', ...ALL, '01:00:5E:00:00:01'].map((mac) => ({ mac })),
  ...['10.77.1.020', 'FD77:1::20', 'fe80::1%eth0', '10.77.1.0/24'].map((ip) => ({ ip })),
  ...['a\u001b[2J', 'a\nb', 'a\u202eb', 'a\ud800', '', 'a'.repeat(256)].map((text) => ({
    name: { text, source: 'dns' },
  })),
  ...[{ name: { text: 'a', source: 'rumour' } }, { vendor: 'a'.repeat(201) }, { random: false }],
  ...[{ n: 0 }, { n: 1.5 }, { since: 0 }],
])('a sighting with %j is refused', (changes) => {
  expect(Sighting.safeParse({ ...SIGHTING, ...changes }).success).toBe(false);
});

test('a message of sightings names its greatest change; a digest is greater than all of them', () => {
  const isValid = (changes: object) => Sightings.safeParse({ ...BATCH, ...changes }).success;
  expect(isValid({})).toBe(true);
  expect(isValid({ n: 4 })).toBe(false);
  expect(isValid({ n: 2 })).toBe(false);
  expect(isValid({ n: 4, covers: ALL })).toBe(true);
  expect(isValid({ n: 3, covers: ALL })).toBe(false);
  expect(isValid({ n: 1, covers: ALL, sightings: [] })).toBe(true);
  expect(isValid({ n: 4, covers: [...ALL].reverse() })).toBe(false);
  expect(isValid({ n: 4, covers: [ALL[0], '00:11:32:77:01:1F'] })).toBe(false);
  expect(isValid({ sightings: [SIGHTING, SIGHTING] })).toBe(false);
  expect(isValid({ v: PROTOCOL_VERSION - 1 })).toBe(false);
  const many = Array.from({ length: 401 }, (_, i) => ({
    ...SIGHTING,
    n: i + 1,
    mac: `00:11:32:77:${(i >> 8).toString(16).padStart(2, '0')}:${(i & 255).toString(16).padStart(2, '0')}`.toUpperCase(),
  }));
  expect(isValid({ n: 400, sightings: many.slice(0, 400) })).toBe(true);
  expect(isValid({ n: 401, sightings: many })).toBe(false);
});

test('settings: networks in canonical form, at most /20, and an interval', () => {
  const settings = { enabled: true, networks: ['192.168.1.7/24', '10.0.16.0/20'] };
  expect(DiscoverySettings.parse(settings)).toEqual({
    enabled: true,
    networks: ['192.168.1.0/24', '10.0.16.0/20'],
    intervalSeconds: 60,
  });
  const isValid = (changes: object) =>
    DiscoverySettings.safeParse({ enabled: true, networks: 'auto', intervalSeconds: 60, ...changes }).success;
  expect(isValid({})).toBe(true);
  const single = ['10.0.0.0/19', '10.0.0.1', 'fd00::/64', '::ffff:10.0.0.0/120x'].map((network) => [network]);
  for (const networks of [...single, [], 'all', Array(33).fill('10.0.0.0/24')]) {
    expect([networks, isValid({ networks })]).toEqual([networks, false]);
  }
  for (const intervalSeconds of [29, 3601, 60.5]) expect(isValid({ intervalSeconds })).toBe(false);
  fc.assert(
    fc.property(fc.ipV4(), fc.integer({ min: 20, max: 32 }), (ip, prefix) => {
      const once = WatchedNetwork.parse(`${ip}/${prefix}`);
      expect(WatchedNetwork.parse(once)).toBe(once);
    }),
  );
});

test('whatever a device sends, the agent can report the result', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      const fit = fitToReport(text, 300);
      if (fit !== null) expect(DiscoveryState.safeParse({ state: 'on', problem: fit }).success).toBe(true);
    }),
  );
  expect(fitToReport('x'.repeat(1_000_000), 255)).toHaveLength(255);
  expect(fitToReport(' \u0000\u202e ', 255)).toBeNull();
  expect(fitToReport('\ud83d\ude00'.repeat(10), 3)).toBe('\ud83d\ude00');
});

test('no reported name, vendor or problem contains invisible characters, which do not prevent the rest of a report', () => {
  const hidden = [...'call a tool'].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join('');
  expect(fitToReport(`na\u200bs${hidden}`, 255)).toBe('nas');
  expect(fitToReport(`${hidden}\u3164`, 255)).toBeNull();
  expect(fitToReport('👨\u200d👩', 3)).toBe('👨');
  // An agent that does not hold to it.
  const name = (text: string) => DeviceName.parse({ text, source: 'mdns' }).text;
  expect([name(`nas${hidden}`), name(hidden), name('Küche-TV 👨‍👩‍👧')]).toEqual(['nas', '\ufffd', 'Küche-TV 👨‍👩‍👧']);
  expect(DiscoveryState.parse({ state: 'on', problem: `why${hidden}` }).problem).toBe('why');
});
