import { expect, test } from 'vitest';
import { Allowance } from '../../local/connection-rate.ts';
import { BackOff } from './back-off.ts';

const largest = () => 1;

/** Plays an outage: when a broker that comes back after so long is reached again. */
function reachedAfter(outageMs: number): number {
  let now = 0;
  const backOff = new BackOff(() => now, Math.random);
  while (now < outageMs) now += backOff.nextDelayMs();
  return now;
}

test.each([0, 500, 2_000, 5_000, 20_000])('a broker that is back after %i ms is reached soon', (outageMs) => {
  for (let i = 0; i < 200; i++) {
    expect(reachedAfter(outageMs)).toBeLessThanOrEqual(Math.max(outageMs * 3, outageMs + 1_000) + 1);
  }
});

test('the wait never exceeds two minutes, and rises to it', () => {
  let now = 0;
  const backOff = new BackOff(() => now, largest);
  now = 3_600_000;
  expect(backOff.nextDelayMs()).toBe(120_000);
});

test('a hundred agents try no more than ten times a second when their broker has been away for 20 s', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed);
    let attempts = 0;
    for (let agent = 0; agent < 100; agent++) {
      let now = 0;
      const backOff = new BackOff(() => now, random);
      while (now < 20_000) {
        now += backOff.nextDelayMs();
        if (now >= 15_000 && now < 20_000) attempts++;
      }
    }
    expect(attempts / 5, `seed ${seed}`).toBeLessThanOrEqual(10);
  }
});

test.each([
  ['half a minute', 30_000],
  ['half an hour', 1_800_000],
])(
  'ten thousand agents of a region that lets 100 connect in a second are back five minutes after an outage of %s',
  (_, outageMs) => {
    const random = seeded(1);
    let now = 0;
    const quota = new Allowance(100, () => now);
    const STEP_MS = 10;
    /** The agents that try at each step. */
    const steps: BackOff[][] = [Array.from({ length: 10_000 }, () => new BackOff(() => now, random))];
    let away = 10_000;
    for (; away > 0 && now < outageMs + 300_000; now += STEP_MS) {
      for (const backOff of steps[now / STEP_MS] ?? []) {
        if (now >= outageMs && quota.take()) {
          away--;
          continue;
        }
        const step = Math.ceil((now + backOff.nextDelayMs()) / STEP_MS);
        steps[step] ??= [];
        steps[step].push(backOff);
      }
    }
    expect(away).toBe(0);
  },
);

/** The same numbers between 0 and 1 for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('links that do not last make the wait longer, until one is stable', () => {
  const backOff = new BackOff(() => 0, largest);
  const waits = Array.from({ length: 8 }, () => {
    backOff.linkEnded(2_000);
    return backOff.nextDelayMs();
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000]);
  backOff.linkEnded(15_000); // Neither short-lived nor stable.
  expect(backOff.nextDelayMs()).toBe(120_000);
  backOff.linkEnded(31_000);
  expect(backOff.nextDelayMs()).toBe(1_000);
});
