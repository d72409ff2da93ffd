import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type WakeSteps, watchItWake } from './wake-watch.ts';

const IP = '192.168.1.20';
const WATCH_MS = 120_000;

interface World {
  /** From when on it answers at its last address; by default it never does. The first packet is sent after the first look. */
  answersAt?: number;
  /** From when on it answers at another address. */
  elsewhereAt?: number;
  /** How long a look takes, at one address and everywhere. */
  lookMs?: number;
  everywhereMs?: number;
  knowsAddress?: boolean;
}

/** Runs a watch with a made-up clock. */
async function watch(world: World) {
  const { answersAt = Infinity, elsewhereAt = Infinity, knowsAddress = true } = world;
  const { lookMs = 700, everywhereMs = 3_000 } = world;
  let now = 1_000;
  const sent: number[] = [];
  const looks: { at: number; since: number; everywhere: boolean; withinMs: number }[] = [];
  const steps: WakeSteps = {
    now: () => now,
    async pause(ms) {
      now += ms;
    },
    async send() {
      sent.push(now);
    },
    async scan(since, everywhere, withinMs) {
      looks.push({ at: now, since, everywhere, withinMs });
      now += Math.min(withinMs, everywhere ? everywhereMs : lookMs);
      if (knowsAddress && now >= answersAt) return IP;
      return everywhere && now >= Math.min(answersAt, elsewhereAt) ? (now >= answersAt ? IP : '192.168.1.77') : null;
    },
    watching() {},
  };
  const proof = await watchItWake(steps, { watchMs: WATCH_MS, knowsAddress });
  return { proof, sent, looks, endedAt: now, firstSent: sent[0] ?? Number.NaN };
}

test('a device that is awake ends the watch at once, and is sent one packet nevertheless', async () => {
  const { proof, sent, looks } = await watch({ answersAt: 0 });
  expect(proof).toEqual({ awake: true, already: true, afterMs: 0, ip: IP });
  expect([sent.length, looks.length]).toEqual([1, 1]);
});

test('without a sign it ends two minutes after the first packet, and three times packets were sent', async () => {
  const { proof, sent, firstSent, endedAt } = await watch({});
  expect(proof).toBeNull();
  expect(sent.map((at) => at - firstSent)).toEqual([0, 5_000, 15_000]);
  expect(endedAt - firstSent).toBe(WATCH_MS);
});

test('what counts is newer than the packet; before it, newer than the beginning', async () => {
  const { looks, firstSent } = await watch({});
  expect(looks[0]).toMatchObject({ at: 1_000, since: 1_000 });
  for (const { since, at } of looks.slice(1)) expect([since, at >= since]).toEqual([firstSent, true]);
});

test('a device that wakes with another address is found, some seconds later', async () => {
  const { proof } = await watch({ elsewhereAt: 20_000 });
  expect(proof).toMatchObject({ already: false, ip: '192.168.1.77' });
});

test('without a known address, whole networks are searched every two seconds, and the kernel is queried in between', async () => {
  const { looks, firstSent, proof } = await watch({ knowsAddress: false, everywhereMs: 700 });
  expect(proof).toBeNull();
  const [before, ...after] = looks;
  expect(before).toMatchObject({ everywhere: true, at: 1_000 });
  expect(after.filter(({ everywhere }) => everywhere).map(({ at }) => at - firstSent)).toEqual(
    Array.from({ length: WATCH_MS / 2_000 }, (_, i) => i * 2_000),
  );
  expect(after).toHaveLength(WATCH_MS / 1_000);
  expect(await watch({ knowsAddress: false, answersAt: 0 })).toMatchObject({ proof: { already: true, ip: IP } });
});

test('whenever it answers and however slow looks are: the end comes in time, and the proof is not older than the packet', async () => {
  const ms = fc.integer({ min: 0, max: 200_000 });
  const times = { answersAt: ms, elsewhereAt: ms, lookMs: ms, everywhereMs: ms };
  await fc.assert(
    fc.asyncProperty(fc.record({ ...times, knowsAddress: fc.boolean() }), async (world) => {
      const { proof, sent, firstSent, endedAt, looks } = await watch(world);
      expect(endedAt - firstSent).toBeLessThanOrEqual(WATCH_MS);
      expect(firstSent).toBeLessThanOrEqual(1_000 + 15_000);
      expect(sent.length).toBeLessThanOrEqual(3);
      expect(looks.length).toBeLessThanOrEqual(1 + WATCH_MS / 1_000);
      if (proof === null) expect(endedAt - firstSent).toBe(WATCH_MS);
      else if (!proof.already) expect(proof.afterMs).toBe(endedAt - firstSent);
    }),
  );
});
