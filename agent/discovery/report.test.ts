import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ALL_MACS } from '../../shared/agent/discovery.ts';
import { Sightings } from '../../shared/agent/messages.ts';
import { MAX_PAYLOAD_BYTES } from '../../shared/agent/wire.ts';
import { range } from '../../shared/network.ts';
import {
  ipOf,
  NETWORK as LAN,
  macOf,
  newKnown as newLan,
  pass,
  START,
  seen,
} from '../../test/support/agent/made-up-lan.ts';
import type { KnownDevices } from './known-devices.ts';
import { digestFrom, macAfter, nextChanges, Reporter } from './report.ts';

const DAY = 24 * 60 * 60_000;
const log = pino({ level: 'silent' });
const NETWORK = { ...LAN, gateway: null, range: range('10.0.0.0/20'), cidr: '10.0.0.0/20' };

let known: KnownDevices;
let see: Awaited<ReturnType<typeof newKnown>>['see'];
let cloud: ReturnType<typeof newCloud>;
beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  ({ known, see } = await newKnown());
  cloud = newCloud(known);
});
afterEach(() => void vi.useRealTimers());

async function newKnown() {
  const { known } = await newLan();
  return {
    known,
    /** Devices with these numbers are seen, the first at an address that counts on from `shift`. */
    see(devices: readonly number[], shift = 0) {
      const evidence = devices.map((i) => seen(macOf(i), ipOf(i + shift)));
      known.recordScans([pass(evidence, { network: NETWORK })], Date.now());
      known.commit();
    },
  };
}

/** These devices are seen, reported and stored. */
async function start(devices: readonly number[]) {
  see(devices);
  cloud.reporter.connected();
  await cloud.tellAndStore();
}

/** A cloud that stores reports, and confirms them or not. */
function newCloud(known: KnownDevices, keep = async () => true) {
  const sent: Sightings[] = [];
  const stored: Sightings[] = [];
  const rows = new Map<string, { n: number; ip: string | null }>();
  const state = { isDown: false, tried: 0 };
  const reporter = new Reporter({
    known,
    async publish(payload) {
      state.tried++;
      if (state.isDown) throw new Error('the link is down');
      expect(payload.length).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
      sent.push(Sightings.parse(JSON.parse(payload.toString())));
    },
    keep,
    log,
  });
  const flush = () => vi.advanceTimersByTimeAsync(0);
  return Object.assign(state, {
    ...{ sent, stored, rows, reporter, flush },
    /** Stores the last message, and confirms it. */
    async store() {
      const message = sent.at(-1);
      if (message === undefined) throw new Error('nothing was sent');
      for (const { mac, n, ip } of message.sightings) if (n > (rows.get(mac)?.n ?? 0)) rows.set(mac, { n, ip });
      stored.push(message);
      reporter.stored(message);
      await flush();
    },
    reconnect() {
      reporter.disconnected();
      reporter.connected();
    },
    /** A scan has run: changes are reported, and not stored yet. */
    async tell() {
      reporter.changed();
      await flush();
    },
    async tellAndStore() {
      reporter.changed();
      await this.storeAll();
    },
    /** Stores all that comes. */
    async storeAll() {
      await flush();
      for (let reported = -1; reported !== sent.length; ) {
        reported = sent.length;
        await this.store();
      }
    },
  });
}

test('a new epoch begins with a digest of everything, and then only changes are reported', async () => {
  see([1, 2, 3]);
  cloud.reporter.connected();
  await cloud.tell();
  expect(cloud.sent).toMatchObject([
    { epoch: START, n: 4, covers: ALL_MACS, sightings: [{ n: 1 }, { n: 2 }, { n: 3 }] },
  ]);
  await cloud.store();
  expect([known.confirmed, known.digestedAt]).toEqual([3, START]);

  await cloud.tell();
  expect(cloud.sent).toHaveLength(1);
  see([1, 2, 3, 4]);
  await cloud.tell();
  expect(cloud.sent.slice(1)).toMatchObject([{ n: 5, covers: null, sightings: [{ mac: macOf(4), n: 5 }] }]);
  await cloud.store();
  expect(known.confirmed).toBe(5);
});

test('nothing is sent without a connection, before a first scan, or on a LAN where nothing changes', async () => {
  see([1]);
  cloud.reporter.connected();
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(cloud.sent).toEqual([]);
  cloud.reporter.disconnected();
  cloud.reporter.changed();
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(cloud.sent).toEqual([]);
  cloud.reporter.connected();
  await cloud.storeAll();
  expect(cloud.sent).toHaveLength(1);
  for (let minute = 0; minute < 20 * 60; minute++) {
    cloud.reporter.changed();
    await vi.advanceTimersByTimeAsync(60_000);
  }
  expect(cloud.sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(DAY / 3);
  await cloud.tell();
  expect(cloud.sent.slice(1)).toMatchObject([{ covers: ALL_MACS }]);
});

test('a new epoch is followed by a second digest, when all devices have had time to be seen again', async () => {
  await start([1]);
  for (const minutes of [29, 2, 60]) {
    await vi.advanceTimersByTimeAsync(minutes * 60_000);
    await cloud.tellAndStore();
  }
  expect(cloud.sent).toMatchObject([{ covers: ALL_MACS }, { covers: ALL_MACS }]);
});

test('after a minute without a connection everything is reported again: other agents may have reported meanwhile', async () => {
  await start([1]);
  for (const seconds of [30, 90]) {
    cloud.reporter.disconnected();
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
    cloud.reporter.connected();
    await cloud.storeAll();
  }
  expect(cloud.sent).toMatchObject([{ covers: ALL_MACS }, { covers: ALL_MACS }]);
});

test('a requested digest comes at once; however many requests there are, at most one a minute does', async () => {
  await start([1, 2]);
  cloud.reporter.requestDigest();
  await cloud.flush();
  expect(cloud.sent.slice(1)).toMatchObject([
    { covers: ALL_MACS, sightings: [{ mac: macOf(1), online: true, ip: ipOf(1), n: 1 }, { mac: macOf(2) }] },
  ]);
  // Requested while one is in flight: another one follows, for this one may have begun too early.
  for (let i = 0; i < 100; i++) cloud.reporter.requestDigest();
  await cloud.storeAll();
  expect(cloud.sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(60_000);
  await cloud.storeAll();
  expect(cloud.sent).toHaveLength(3);
  // An hour of requests.
  for (let second = 0; second < 3_600; second += 10) {
    cloud.reporter.requestDigest();
    await vi.advanceTimersByTimeAsync(10_000);
    if (cloud.sent.length > cloud.stored.length) await cloud.store();
  }
  expect(cloud.sent.length).toBeLessThanOrEqual(3 + 61);
  expect(cloud.sent.length).toBeGreaterThan(50);
});

test('the findings of the first scans are reported as the baseline, until they are stored', async () => {
  see([1]);
  await start([1, 2]);
  expect(cloud.sent[0]?.sightings).toMatchObject([{ baseline: true }, { baseline: true }]);
  for (let look = 0; look < 3; look++) see([1, 2]);
  see([1, 2, 3]);
  await cloud.tellAndStore();
  cloud.reporter.requestDigest();
  await cloud.storeAll();
  const later = cloud.sent.slice(1).flatMap(({ sightings }) => sightings);
  expect(later.map(({ mac }) => mac)).toEqual([macOf(3), macOf(1), macOf(2), macOf(3)]);
  for (const sighting of later) expect(sighting).not.toHaveProperty('baseline');
});

test('the confirmation of the cloud states which devices have an alert', async () => {
  see([1, 2]);
  cloud.reporter.connected();
  await cloud.tell();
  const { epoch = 0, n = 0 } = cloud.sent[0] ?? {};
  cloud.reporter.stored({ epoch, n, alerts: [macOf(2), macOf(99)] });
  expect([known.get(macOf(1))?.alerts, known.get(macOf(2))?.alerts]).toEqual([false, true]);
});

test('an unconfirmed message is resent: after half a minute, with back-off, and when the link is back', async () => {
  see([1]);
  cloud.reporter.connected();
  cloud.reporter.changed();
  await vi.advanceTimersByTimeAsync(26_000);
  expect(cloud.sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(cloud.sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(DAY / 2);
  expect(cloud.sent.length).toBeLessThan(70);
  const before = cloud.sent.length;
  cloud.reconnect();
  expect(cloud.sent.length).toBe(before + 1);
  expect(new Set(cloud.sent.map((message) => JSON.stringify(message))).size).toBe(1);
});

test('a change that is not on disk yet is not reported, also when a confirmation causes the next message', async () => {
  await start([1]);
  see([2]);
  await cloud.tell();
  see([3]); // Its file is still being written, or the disk is full.
  await cloud.store();
  cloud.reconnect();
  await cloud.flush();
  expect(cloud.sent.slice(1)).toMatchObject([{ sightings: [{ mac: macOf(2) }] }]);
  await cloud.tell();
  expect(cloud.sent.at(-1)).toMatchObject({ sightings: [{ mac: macOf(3) }] });
});

test('a digest whose number cannot be persisted is not sent; the next scan retries', async () => {
  let isFull = true;
  const cloud = newCloud(known, async () => !isFull);
  see([1]);
  cloud.reporter.connected();
  await cloud.tell();
  cloud.reconnect();
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(cloud.sent).toEqual([]);
  isFull = false;
  await cloud.tellAndStore();
  expect(cloud.sent).toMatchObject([{ covers: ALL_MACS, sightings: [{ mac: macOf(1) }] }]);
  expect(known.confirmed).toBe(1);
});

test('confirmations of another epoch, another message or a number never assigned confirm nothing', async () => {
  see([1, 2]);
  cloud.reporter.connected();
  await cloud.tell();
  cloud.reporter.stored({ epoch: START - 1, n: 3 });
  for (const n of [2, 1_000_000]) cloud.reporter.stored({ epoch: START, n });
  expect([known.confirmed, cloud.sent.length]).toEqual([0, 1]);
  known.confirm(1_000_000);
  expect(known.confirmed).toBe(known.lastChange);
});

test('a digest of thousands of devices goes range by range, and what changes meanwhile follows it', async () => {
  const all = Array.from({ length: 1_000 }, (_, i) => i);
  see(all);
  cloud.reporter.connected();
  await cloud.tell();
  await cloud.store();
  see([3], 2_000);
  await cloud.tellAndStore();
  const digest = cloud.sent.filter(({ covers }) => covers !== null);
  expect(digest.map(({ sightings }) => sightings.length)).toEqual([400, 400, 200]);
  expect(digest[0]?.covers?.[0]).toBe(ALL_MACS[0]);
  expect(digest.at(-1)?.covers?.[1]).toBe(ALL_MACS[1]);
  for (const [i, { covers }] of digest.slice(1).entries()) {
    expect(covers?.[0]).toBe(macAfter(digest[i]?.covers?.[1] ?? ''));
  }
  expect(cloud.rows.get(macOf(3))?.ip).toBe(ipOf(2_003));
  expect(cloud.rows.size).toBe(1_000);
});

test('whatever is lost, repeated or overtaken, the cloud knows what the agent knows in the end', async () => {
  const sight = fc.record({ device: fc.nat({ max: 20 }), shift: fc.nat({ max: 9 }) });
  const steps = fc.array(fc.oneof(sight, fc.constantFrom('store', 'lose', 'reconnect', 'repeat')), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      vi.setSystemTime(START);
      const { known, see } = await newKnown();
      const cloud = newCloud(known);
      cloud.reporter.connected();
      for (const step of steps) {
        if (typeof step === 'object') {
          see([step.device], step.shift);
          cloud.reporter.changed();
        }
        if (step === 'store' && cloud.sent.length > 0) await cloud.store();
        if (step === 'lose') await vi.advanceTimersByTimeAsync(40_000);
        if (step === 'repeat') for (const message of cloud.stored) cloud.reporter.stored(message);
        if (step === 'reconnect') cloud.reconnect();
        await cloud.flush();
      }
      await cloud.tell();
      if (cloud.sent.length > 0) await cloud.storeAll();
      const expected = known.all().map(({ mac, n, ip }) => [mac, { n, ip }]);
      expect([...cloud.rows].sort()).toEqual(expected.sort());
      expect(nextChanges(known, known.lastChange)).toBeNull();
    }),
    { numRuns: 60 },
  );
});

test('most changes need no confirmation, and lost ones are reported again before long', async () => {
  await start(Array.from({ length: 100 }, (_, i) => i));
  const asked = () => cloud.sent.filter(({ answer }) => answer !== false).length;
  const [sentBefore, askedBefore] = [cloud.sent.length, asked()];
  let handled = sentBefore;
  for (let minute = 1; minute <= 12 * 60; minute++) {
    await vi.advanceTimersByTimeAsync(60_000);
    // A change each three minutes, as of a hundred devices that change five times a day.
    if (minute % 3 === 0) see([minute % 100], minute);
    await cloud.tell();
    const isNew = cloud.sent.length > handled;
    handled = cloud.sent.length;
    if (isNew && cloud.sent.at(-1)?.answer !== false) await cloud.storeAll();
    expect(known.lastChange - known.confirmed).toBeLessThanOrEqual(21);
  }
  const [sent, askedFor] = [cloud.sent.length - sentBefore, asked() - askedBefore];
  expect(sent).toBeGreaterThanOrEqual(230);
  expect(askedFor).toBeLessThanOrEqual(12 * 2 + 2);
  // Nothing more happens: within an hour the rest requests a confirmation, once.
  for (let minute = 0; minute < 60 + 30; minute++) {
    await vi.advanceTimersByTimeAsync(60_000);
    await cloud.tell();
  }
  expect(cloud.sent.at(-1)).not.toHaveProperty('answer');
  await cloud.storeAll();
  // No message without a confirmation was stored.
  for (const { mac, n, ip } of known.all()) expect(cloud.rows.get(mac)).toEqual({ n, ip });
  expect(known.confirmed).toBe(known.lastChange);
});

test('a message without a confirmation is resent until it has reached the broker, and a confirmation counts', async () => {
  await start([1]);
  cloud.isDown = true;
  see([1, 2]);
  cloud.reporter.changed();
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(cloud.tried - cloud.sent.length).toBeGreaterThan(2);
  cloud.isDown = false;
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(cloud.sent.at(-1)).toMatchObject({ answer: false, sightings: [{ mac: macOf(2) }] });
  const { length } = cloud.sent;
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  expect(cloud.sent).toHaveLength(length);
  await cloud.store(); // As a service does that has not heard of such messages.
  expect(known.confirmed).toBe(cloud.stored.at(-1)?.n);
});

test('names as long as they may be do not make a message too large', async () => {
  const all = Array.from({ length: 500 }, (_, i) => i);
  see(all);
  const text = '\u{1f4a9}'.repeat(127);
  const name = { name: { text, source: 'mdns' as const }, dnsKnowsNone: true };
  for (const i of all) known.recordName(macOf(i), ipOf(i), name, START);
  known.commit();
  for (const message of [nextChanges(known, known.lastChange), digestFrom(known, ALL_MACS[0])]) {
    expect(Buffer.byteLength(JSON.stringify(Sightings.parse(message)))).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
    expect(message?.sightings.length).toBeGreaterThan(50);
  }
});

test('observations are reported until they are stored, and in each digest', async () => {
  see([1, 2]);
  known.recordObservations(macOf(1), [{ source: 'upnp-name', value: 'TV' }], START);
  known.commit();
  const reported = () =>
    nextChanges(known, known.lastChange)?.sightings.map(({ observations }) => observations?.length);
  expect(reported()).toEqual([undefined, 1]);
  known.confirm(known.lastChange);
  see([1, 2], 10);
  expect(reported()).toEqual([undefined, undefined]);
  const digest = digestFrom(known, ALL_MACS[0]);
  expect(digest.sightings.map(({ observations }) => observations?.length)).toEqual([1, 0]);
});
