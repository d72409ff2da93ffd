import { expect, test } from 'vitest';
import { MINUTE, macOf, NETWORK, newKnown, ROUTER, START, seen } from '../../test/support/agent/made-up-lan.ts';
import { isIn } from './watched-networks.ts';
import type { Testimony } from './witness.ts';

const PHONE = macOf(1);
const FAR = '10.9.0.11';
const NEAR = '10.0.0.11';
type Host = { addresses: string[]; lastSeen?: number };

async function newLan() {
  const lan = await newKnown();
  const isScanned = (ip: string) => isIn(ip, NETWORK.range);
  return {
    ...lan,
    state: (mac = PHONE) => {
      const device = lan.known.get(mac);
      return device && [device.ip, device.presence.online ? 'online' : 'offline', device.source ?? 'scans'].join(' ');
    },
    read(at: number, hosts: Record<string, Host>, changes: Partial<Testimony> = {}) {
      const all = new Map(Object.entries(hosts));
      lan.known.recordReading({ source: 'controller', hosts: all, isScanned, hadGap: false, ...changes }, at);
      return lan.known.commit();
    },
  };
}

test('where no scan looks, a source decides: online by its last sign, offline after three readings and 15 minutes', async () => {
  const { read, state, reported } = await newLan();
  const seenAt = START - 30_000;
  expect(read(START, { [PHONE]: { addresses: [FAR], lastSeen: seenAt } })).toBe(1);
  expect(state()).toBe(`${FAR} online controller`);
  // What the source knew when it was first read is no news, and not the agent's first sight of it.
  expect(reported(PHONE)).toMatchObject({ online: true, since: seenAt, seenAt, ip: FAR, baseline: true });
  for (const minute of [5, 10]) read(START + minute * MINUTE, { [PHONE]: { addresses: [FAR], lastSeen: seenAt } });
  read(START + 14 * MINUTE, {});
  expect(state()).toBe(`${FAR} online controller`);
  read(START + 20 * MINUTE, {});
  expect(state()).toBe(`${FAR} offline controller`);
  const backAt = START + 25 * MINUTE;
  read(backAt, {
    [PHONE]: { addresses: [FAR], lastSeen: backAt },
    [macOf(2)]: { addresses: ['10.9.0.12'], lastSeen: backAt },
  });
  expect(reported(PHONE)).toMatchObject({ online: true, since: backAt });
  expect(reported(macOf(2))?.baseline).toBeUndefined();
});

test('a lease is no sign: its device is reported as unmonitored, and is forgotten with it', async () => {
  const { known, read, reported, state } = await newLan();
  expect(read(START, { [PHONE]: { addresses: [FAR, 'fd00::11'] } })).toBe(1);
  expect(reported(PHONE)).toMatchObject({ unmonitored: true, online: false, ip: FAR, ips: [FAR, 'fd00::11'] });
  known.confirm(known.lastChange);
  expect(read(START + 5 * MINUTE, { [PHONE]: { addresses: [FAR, 'fd00::11'] } })).toBe(0);
  read(START + 10 * MINUTE, { [PHONE]: { addresses: ['10.9.0.99'] } });
  expect(reported(PHONE)).toMatchObject({ unmonitored: true, ip: '10.9.0.99' });
  read(START + 15 * MINUTE, { [PHONE]: { addresses: [FAR], lastSeen: START + 15 * MINUTE } });
  expect(state()).toBe(`${FAR} online controller`);
  expect(reported(PHONE)).not.toHaveProperty('unmonitored');
  read(START + 20 * MINUTE, { [macOf(2)]: { addresses: ['10.9.0.12'] } });
  expect(known.get(macOf(2))).toBeDefined();
  read(START + 25 * MINUTE, {});
  expect(known.get(macOf(2))).toBeUndefined();
});

test('a lease changes no device that scans have seen, online or offline', async () => {
  const { cycle, read, state } = await newLan();
  cycle(START, [ROUTER, seen(PHONE, NEAR)]);
  for (let minute = 1; minute <= 20; minute++) {
    cycle(START + minute * MINUTE, [ROUTER]);
    read(START + minute * MINUTE, { [PHONE]: { addresses: [FAR] } });
  }
  expect(state()).toBe(`${NEAR} offline scans`);
});

test('where scans look, they decide: a source adds no device, keeps none online, and takes none offline', async () => {
  const { cycle, read, state } = await newLan();
  read(START, { [PHONE]: { addresses: [NEAR], lastSeen: START } });
  expect(state()).toBeUndefined();
  cycle(START, [ROUTER, seen(PHONE, NEAR)]);
  for (let minute = 1; minute <= 20; minute++) {
    cycle(START + minute * MINUTE, [ROUTER, seen(PHONE, NEAR)]);
    read(START + minute * MINUTE, {});
  }
  expect(state()).toBe(`${NEAR} online scans`);
  for (let minute = 21; minute <= 40; minute++) {
    cycle(START + minute * MINUTE, [ROUTER]);
    read(START + minute * MINUTE, { [PHONE]: { addresses: [NEAR], lastSeen: START + minute * MINUTE } });
  }
  expect(state()).toBe(`${NEAR} offline scans`);
});

test('a device with a foot in both networks has one witness, and does not flap', async () => {
  const { cycle, read, known, state } = await newLan();
  for (let minute = 0; minute <= 60; minute++) {
    cycle(START + minute * MINUTE, [ROUTER, seen(PHONE, NEAR)]);
    read(START + minute * MINUTE, { [PHONE]: { addresses: [FAR], lastSeen: START + minute * MINUTE } });
    expect(state()).toBe(`${NEAR} online scans`);
  }
  expect(known.get(PHONE)?.presence.changes).toEqual([]);
});

test('a device that moves from one network to the other stays online, and so it does on its way back', async () => {
  const { cycle, read, known, state } = await newLan();
  cycle(START, [ROUTER, seen(PHONE, NEAR)]);
  for (let minute = 1; minute <= 30; minute++) {
    const at = START + minute * MINUTE;
    cycle(at, [ROUTER]);
    read(at, { [PHONE]: { addresses: [FAR], lastSeen: at } });
  }
  expect(state()).toBe(`${FAR} online controller`);
  for (let minute = 31; minute <= 60; minute++) {
    const at = START + minute * MINUTE;
    cycle(at, [ROUTER, seen(PHONE, NEAR)]);
    // The controller has not noticed yet.
    read(at, { [PHONE]: { addresses: [FAR], lastSeen: START + 33 * MINUTE } });
  }
  expect(state()).toBe(`${NEAR} online scans`);
  expect(known.get(PHONE)?.presence.changes).toEqual([]);
});

test('of two sources that see a device, one is its witness until it misses it', async () => {
  const { read, known, state } = await newLan();
  const host = (at: number): Record<string, Host> => ({ [PHONE]: { addresses: [FAR], lastSeen: at } });
  for (let minute = 0; minute < 120; minute++) {
    const at = START + minute * MINUTE;
    if (minute % 2 === 0) read(at, minute < 60 ? host(at) : {});
    if (minute % 7 === 0) read(at, host(at), { source: 'router' });
  }
  expect(state()).toBe(`${FAR} online router`);
  expect(known.get(PHONE)?.presence.changes).toEqual([]);
});

test('after a time in which the source could not be read, silence counts from zero', async () => {
  const { read, state } = await newLan();
  read(START, { [PHONE]: { addresses: [FAR], lastSeen: START } });
  read(START + 60 * MINUTE, {}, { hadGap: true });
  for (const minute of [65, 70]) read(START + minute * MINUTE, {});
  expect(state()).toBe(`${FAR} online controller`);
  read(START + 76 * MINUTE, {});
  expect(state()).toBe(`${FAR} offline controller`);
});

test('hosts of a source do not make the LAN of the agent a foreign one', async () => {
  const { cycle, read, known } = await newLan();
  read(
    START,
    Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [macOf(i), { addresses: [`10.9.0.${i}`], lastSeen: START }])),
  );
  cycle(START + MINUTE, [ROUTER, seen(macOf(50), '10.0.0.50')]);
  cycle(START + 2 * MINUTE, [ROUTER, seen(macOf(50), '10.0.0.50')]);
  expect(known.foreign).toEqual([]);
  expect(known.get(macOf(50))?.presence.online).toBe(true);
});

test('an old last sign adds no device; only private addresses are devices of the site', async () => {
  const { read, state } = await newLan();
  read(START, { [PHONE]: { addresses: [FAR], lastSeen: START - 60 * MINUTE } });
  expect(state()).toBeUndefined();
  for (const ip of ['203.0.113.9', '127.0.0.1', '169.254.1.1', 'fd00::1']) {
    read(START, { [PHONE]: { addresses: [ip], lastSeen: START } });
    expect(state()).toBeUndefined();
  }
});
