import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Sighting } from '../../shared/agent/discovery.ts';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import { range } from '../../shared/network.ts';
import {
  BLIND_MS,
  ipOf,
  MINUTE,
  macOf,
  NETWORK,
  newKnown,
  pass,
  ROUTER,
  START,
  seen,
} from '../../test/support/agent/made-up-lan.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import type { Evidence } from './evidence.ts';
import { KnownDevices } from './known-devices.ts';
import { MAX_DEVICES } from './known-devices-file.ts';
import { sightingOf } from './sighting.ts';

const log = pino({ level: 'silent' });

test('a cycle counts only when it completed, and the gateway or a known device has answered', async () => {
  const { cycle } = await newKnown();
  const one = seen(macOf(1), '10.0.0.11');
  expect(cycle(START, [one])).toBe(false); // Never seen before, and no gateway.
  expect(cycle(START + MINUTE, [one])).toBe(true);
  expect(cycle(START + 2 * MINUTE, [seen(macOf(2), '10.0.0.12')])).toBe(false);
  expect(cycle(START + 3 * MINUTE, [ROUTER])).toBe(true);
  expect(cycle(START + 4 * MINUTE, [ROUTER], { failure: 'it was killed' })).toBe(false);
  expect(cycle(START + 5 * MINUTE, [{ ...ROUTER, fresh: false }])).toBe(false);
  expect(cycle(START + 6 * MINUTE, [])).toBe(false);
});

test('after a time without a valid cycle, silence counts from zero', async () => {
  const { cycle, reported } = await newKnown();
  const mac = macOf(1);
  cycle(START, [ROUTER, seen(mac, '10.0.0.11')]);
  for (let minute = 1; minute <= 20; minute++) cycle(START + minute * MINUTE, [], { failure: 'the switch is off' });
  for (let minute = 21; minute <= 24; minute++) cycle(START + minute * MINUTE, [ROUTER]);
  expect(reported(mac)?.online).toBe(true);
  for (let minute = 25; minute <= 27; minute++) cycle(START + minute * MINUTE, [ROUTER]);
  expect(reported(mac)?.online).toBe(false);
});

test('devices whose last signs are of two scans go offline together; a later one goes later', async () => {
  const { cycle, reported } = await newKnown();
  const [first, second, later] = [macOf(1), macOf(2), macOf(3)] as const;
  const others = [ROUTER, seen(second, '10.0.0.12'), seen(later, '10.0.0.13')];
  cycle(START, [seen(first, '10.0.0.11'), ...others]);
  cycle(START + MINUTE, others);
  for (const minute of [2, 3]) cycle(START + minute * MINUTE, [ROUTER, seen(later, '10.0.0.13')]);
  const areOnline = () => [first, second, later].map((mac) => reported(mac)?.online);
  cycle(START + 4 * MINUTE, [ROUTER]);
  expect(areOnline()).toEqual([true, true, true]);
  cycle(START + 5 * MINUTE, [ROUTER]);
  expect(areOnline()).toEqual([false, false, true]);
});

test('a device is missed in the network that its address belongs to now, whatever that was called before', async () => {
  const { cycle, reported } = await newKnown();
  const mac = macOf(1);
  cycle(START, [ROUTER, seen(mac, '10.0.0.11')]);
  cycle(START, [ROUTER, seen(mac, '10.0.0.11')]);
  const network = { ...NETWORK, cidr: '10.0.0.0/25', range: range('10.0.0.0/25'), gateway: '10.0.0.254' };
  for (let minute = 1; minute <= 10; minute++) cycle(START + minute * MINUTE, [ROUTER], { network });
  expect(reported(mac)?.online).toBe(false);
});

test('what is known from the future begins a new epoch', async () => {
  await using folder = makeTestFolder();
  const path = join(folder.path, 'known-devices.json');
  await (await KnownDevices.open(path, START + 86_400_000, log)).save();
  expect((await KnownDevices.open(path, START, log)).epoch).toBe(START);
});

test('a device that the rescan finds is not missed', async () => {
  const { cycle, reported } = await newKnown();
  cycle(START, [ROUTER, seen(macOf(1), '10.0.0.11')]);
  for (let i = 1; i < 20; i++) cycle(START + i * MINUTE, [ROUTER], { found: [macOf(1)] });
  expect(reported(macOf(1))).toMatchObject({ online: true, n: 2 });
  for (let i = 20; i < 31; i++) cycle(START + i * MINUTE, [ROUTER]);
  expect(reported(macOf(1))).toMatchObject({ online: false, n: 3 });
});

test.each([
  { what: 'the agent reports one device that went after five minutes', hosts: 1, untold: 5 },
  { what: 'the agent reports two that went after five minutes', hosts: 2, untold: 5 },
  { what: 'the agent reports one that went with its next other news', hosts: 1, comesAfter: 2, untold: 2 },
  { what: 'the agent reports three that went at once: they may be an outage', hosts: 3, untold: 0 },
  { what: 'the agent reports one with an alert at once', hosts: 1, isAlerted: true, untold: 0 },
])('$what', async ({ hosts, comesAfter, isAlerted = false, untold }) => {
  const { known, cycle, reported } = await newKnown();
  const macs = Array.from({ length: hosts }, (_, i) => macOf(i + 1));
  const everybody = [ROUTER, ...macs.map((mac, i) => seen(mac, `10.0.0.${i + 11}`))];
  cycle(START, everybody);
  known.setAlerts(macs, new Set(isAlerted ? macs : []));
  const before = reported(macOf(1))?.n ?? 0;
  let gone = 0;
  for (let minute = 1; reported(macOf(1))?.n === before; minute++) {
    const isThere = known.get(macOf(1))?.presence.online;
    gone += isThere ? 0 : 1;
    const comes = comesAfter === gone && gone > 0 ? [seen(macOf(9), '10.0.0.99')] : [];
    cycle(START + minute * MINUTE, [ROUTER, ...comes]);
  }
  expect(reported(macOf(1))?.online).toBe(false);
  expect(gone).toBe(untold);
});

test('devices of a network that is no longer looked at keep their state', async () => {
  const { known, cycle, reported } = await newKnown();
  cycle(START, [ROUTER, seen(macOf(1), '10.0.0.11')]);
  const other = { ...NETWORK, cidr: '10.9.0.0/24', range: range('10.9.0.0/24'), gateway: '10.9.0.254' };
  for (let i = 1; i < 20; i++) {
    const scans = [{ ...pass([seen(macOf(9), '10.9.0.254')]), network: other }];
    const valid = known.recordScans(scans, START + i * MINUTE);
    expect(known.missing(scans, valid)).toEqual([]);
    known.countMisses(scans, valid, new Map(), START + i * MINUTE, BLIND_MS);
  }
  expect(reported(macOf(1))).toMatchObject({ online: true });
});

test('each change takes the next number, and what has not changed keeps its own', async () => {
  const { known, cycle, reported } = await newKnown();
  cycle(START, [ROUTER, seen(macOf(1), '10.0.0.11'), seen(macOf(2), '10.0.0.12')]);
  expect([ROUTER.mac, macOf(1), macOf(2)].map((mac) => reported(mac)?.n)).toEqual([1, 2, 3]);
  cycle(START + MINUTE, [ROUTER, seen(macOf(1), '10.0.0.11'), seen(macOf(2), '10.0.0.22')]);
  expect([ROUTER.mac, macOf(1), macOf(2)].map((mac) => reported(mac)?.n)).toEqual([1, 2, 4]);
  expect(reported(ROUTER.mac)).toMatchObject({ gateway: true, vendor: 'PC Engines GmbH' });
  known.recordName(macOf(1), '10.0.0.11', { name: { text: 'nas', source: 'mdns' }, dnsKnowsNone: false }, START);
  known.commit();
  expect(reported(macOf(1))).toMatchObject({ n: 5, name: { text: 'nas', source: 'mdns' } });
});

test('two devices that swap addresses are reported at once, also while the kernel remembers the old ones', async () => {
  const { cycle, reported } = await newKnown();
  const [a, b] = [macOf(1), macOf(2)];
  cycle(START, [ROUTER, seen(a, '10.0.0.11'), seen(b, '10.0.0.12')]);
  const remembered = [seen(a, '10.0.0.11', false), seen(b, '10.0.0.12', false)];
  cycle(START + MINUTE, [ROUTER, seen(a, '10.0.0.12'), seen(b, '10.0.0.11'), ...remembered]);
  expect([reported(a)?.ip, reported(b)?.ip]).toEqual(['10.0.0.12', '10.0.0.11']);
});

test('an address of two devices is reported of both, and neither changes it from cycle to cycle', async () => {
  const { known, cycle, reported } = await newKnown();
  const both = [ROUTER, seen(macOf(1), '10.0.0.11'), seen(macOf(2), '10.0.0.11'), seen(macOf(1), '10.0.0.99')];
  cycle(START, both);
  for (let i = 1; i < 5; i++) cycle(START + i * MINUTE, i % 2 === 0 ? both : [...both].reverse());
  expect([reported(macOf(1))?.ip, reported(macOf(2))?.ip]).toEqual(['10.0.0.11', '10.0.0.11']);
  // Each reports the conflict once.
  expect(known.lastChange).toBe(5);
});

test('the first three valid scans of a new network find its baseline; a known network has news', async () => {
  const { known, cycle, reported } = await newKnown();
  cycle(START, [ROUTER, seen(macOf(1), '10.0.0.11')], { failure: 'it was killed' });
  for (let i = 1; i <= 4; i++) cycle(START + i * MINUTE, [ROUTER, seen(macOf(i), `10.0.0.1${i}`)]);
  const isBaseline = () => [1, 2, 3, 4].map((i) => reported(macOf(i))?.baseline ?? false);
  expect(isBaseline()).toEqual([true, true, true, false]);
  known.confirm(known.lastChange - 1);
  expect(isBaseline()).toEqual([false, false, false, false]);
});

test('a power cut makes no sleepers, one device that sleeps all day is one', async () => {
  const { known, cycle } = await newKnown();
  const devices = Array.from({ length: 12 }, (_, i) => seen(macOf(i), `10.0.0.${i + 1}`));
  const [sleeper, ...others] = devices;
  const away = (minutes: number, here: Evidence[], from: number) => {
    for (let i = 0; i < minutes; i++) cycle(from + i * MINUTE, [ROUTER, ...here]);
    cycle(from + minutes * MINUTE, [ROUTER, ...devices]);
    return from + (minutes + 1) * MINUTE;
  };
  let at = START;
  for (let i = 0; i < 4; i++) at = away(8, others.slice(4), at);
  expect(devices.map(({ mac }) => known.get(mac)?.presence.sleeps.length)).toEqual(devices.map(() => 0));
  for (let i = 0; i < 3; i++) at = away(8, others, at);
  expect(known.get(sleeper?.mac ?? '')?.presence.sleeps).toHaveLength(3);
  for (let i = 0; i < 12; i++) cycle(at + i * MINUTE, [ROUTER]);
  const online = known.all().filter(({ presence }) => presence.online);
  expect(online.map(({ mac }) => mac)).toEqual([ROUTER.mac, sleeper?.mac]);
});

test('a device keeps its IPv4 address, else its global one, when only others are seen, unless another has it', async () => {
  const { cycle, reported } = await newKnown();
  const [local, global, ipv4] = [seen(macOf(1), 'fe80::1'), seen(macOf(1), 'fd00::1'), seen(macOf(1), '10.0.0.11')];
  const steps = [[local], [local, global], [local], [ipv4, local, global], [local, global]];
  const ips = steps.map((found, i) => {
    cycle(START + i * MINUTE, [ROUTER, ...found]);
    return reported(macOf(1))?.ip;
  });
  expect(ips).toEqual(['fe80::1', 'fd00::1', 'fd00::1', '10.0.0.11', '10.0.0.11']);
  cycle(START + 5 * MINUTE, [ROUTER, local, global, seen(macOf(2), '10.0.0.11')]);
  expect(reported(macOf(1))?.ip).toBe('fd00::1');
});

test('a name from a worse source does not replace a better one, unless DNS says that it has none', async () => {
  const { known, cycle, reported } = await newKnown();
  cycle(START, [ROUTER, seen(macOf(1), '10.0.0.11')]);
  const name = (text: string, source: 'dns' | 'mdns' | 'netbios', dnsKnowsNone = false) => {
    known.recordName(macOf(1), '10.0.0.11', { name: { text, source }, dnsKnowsNone }, START);
    return reported(macOf(1))?.name?.text;
  };
  expect(name('nas.lan', 'dns')).toBe('nas.lan');
  expect(name('nas.local', 'mdns')).toBe('nas.lan'); // The name server is down.
  known.recordName(macOf(1), '10.0.0.11', { name: null, dnsKnowsNone: false }, START);
  expect(reported(macOf(1))?.name?.text).toBe('nas.lan');
  expect(name('nas.local', 'mdns', true)).toBe('nas.local');
  expect(name('NAS', 'netbios', true)).toBe('nas.local');
});

test('names are looked up once an hour, and at a new address', async () => {
  const { known, cycle } = await newKnown();
  cycle(START, [seen(macOf(1), '10.0.0.11')]);
  const due = (at: number) => known.unnamed(at, 60 * MINUTE).map(({ ip }) => ip);
  expect(due(START)).toEqual(['10.0.0.11']);
  known.recordName(macOf(1), '10.0.0.11', { name: null, dnsKnowsNone: true }, START);
  expect(due(START + 59 * MINUTE)).toEqual([]);
  expect(due(START + 60 * MINUTE)).toEqual(['10.0.0.11']);
  cycle(START + MINUTE, [seen(macOf(1), '10.0.0.12')]);
  expect(due(START + MINUTE)).toEqual(['10.0.0.12']);
});

test('the state survives a restart: nothing is new, and silence counts anew', async () => {
  await using folder = makeTestFolder();
  const path = join(folder.path, 'known-devices.json');
  const first = await newKnown(path);
  first.cycle(START, [ROUTER, seen(macOf(1), '10.0.0.11')]);
  first.known.confirm(2);
  await first.known.save();
  for (let i = 1; i < 5; i++) first.cycle(START + i * MINUTE, [ROUTER]);
  await first.known.save();
  const known = await KnownDevices.open(path, START + 10 * MINUTE, log);
  expect(known).toMatchObject({ epoch: START, lastChange: 2, confirmed: 2, digestedAt: null });
  expect(known.all().map(sightingOf)).toEqual(first.known.all().map(sightingOf));
  expect(known.get(macOf(1))?.presence).toMatchObject({ online: true, misses: 0, silentSince: START + 10 * MINUTE });
});

test('when there are too many, who has been gone for longest makes room; who is online does not', async () => {
  const { known, cycle } = await newKnown();
  const many = Array.from({ length: MAX_DEVICES - 1 }, (_, i) => seen(macOf(i), ipOf(i)));
  cycle(START, [ROUTER, ...many]);
  expect(known.size).toBe(MAX_DEVICES);
  cycle(START + MINUTE, [ROUTER, ...many, seen(macOf(10_000), '10.0.0.1')]);
  expect([known.size, known.refused, known.get(macOf(10_000))]).toEqual([MAX_DEVICES, 1, undefined]);
  for (const minute of [3, 5, 7]) cycle(START + minute * MINUTE, [ROUTER, ...many.slice(1)]);
  cycle(START + 8 * MINUTE, [ROUTER, ...many.slice(1), seen(macOf(10_000), '10.0.0.1')]);
  expect(known.size).toBe(MAX_DEVICES);
  expect(known.get(macOf(0))).toBeUndefined();
  expect(known.get(macOf(10_000))?.presence.online).toBe(true);
});

test('whatever hosts answer, their reports are valid and bounded', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.constant('x'.repeat(10_000)));
  const evidence = fc.record({
    mac: fc.nat({ max: 5 }).map(macOf),
    ip: fc.constantFrom(...[0, 1, 2, 3, 4, 5].map((i) => `10.0.0.${i}`), 'fe80::1', 'fd00::1'),
    fresh: fc.boolean(),
  });
  const cycles = fc.array(fc.tuple(fc.array(evidence, { maxLength: 8 }), text), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(cycles, async (cycles) => {
      const { known, cycle } = await newKnown();
      for (const [i, [found, name]] of cycles.entries()) {
        cycle(START + i * 2 * MINUTE, found);
        const fit = fitToReport(name, 255);
        for (const { mac, ip } of known.all()) {
          const named = fit === null ? null : ({ text: fit, source: 'mdns' } as const);
          known.recordName(mac, ip ?? '', { name: named, dnsKnowsNone: true }, START);
        }
        known.commit();
        const sightings = known.all().map((device) => Sighting.parse(sightingOf(device)));
        expect(new Set(sightings.map(({ n }) => n)).size).toBe(sightings.length);
      }
    }),
    { numRuns: 50 },
  );
});
