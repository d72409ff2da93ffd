/** The simulation of docs/scale.md, with numbers that can be checked by hand. */
import { expect, test } from 'vitest';
import { playOutage, presenceTrueAfter } from './fleet.ts';
import { type LargeSite, useOf } from './large-site.ts';
import { ingestRate } from './limits.ts';
import { breakEvenSeconds, costOfWaiting, executionsOfWaiting, SECONDS_A_MONTH } from './waiting.ts';
import { CHANGE_SECONDS, playWriters } from './writers.ts';

test('every agent comes back, no more of them in a second than IoT Core lets through, and always in the same way', () => {
  const outage = { agents: 2_000, seconds: 120, connectsPerSecond: 20 };
  const back = playOutage(outage);
  expect(back.connected.reduce((sum, count) => sum + count, 0)).toBe(2_000);
  expect(back.connected.length).toBeGreaterThanOrEqual(2_000 / 20 - 1);
  // A bucket that was full, and what flows off in that second.
  expect(Math.max(...back.connected)).toBeLessThanOrEqual(2 * 20);
  expect(back.refused).toBeGreaterThan(0);
  expect(playOutage(outage)).toEqual(back);
});

test('presence is true when the queue is empty: of who has gone, and of who is back', () => {
  const agents = 100;
  const back = { attemptsPerSecond: 100, refused: 0, connected: [50, 50] };
  // Quick enough for both: when the last agent has connected.
  expect(presenceTrueAfter({ agents, seconds: 60, connectsPerSecond: 50 }, back, 100)).toBe(2);
  // 200 messages are left from the outage, 200 come, and 10 are handled in a second.
  expect(presenceTrueAfter({ agents, seconds: 0, connectsPerSecond: 50 }, back, 10)).toBe(40);
});

test('more instances of ingest help until the partition of the list of sites is used up', () => {
  expect(ingestRate(10)).toBeCloseTo(2 * ingestRate(5));
  expect(ingestRate(50)).toBe(1_500);
});

test('a change takes its calls and its processor time, and longer the more processes want the next version', () => {
  const most = (processes: number) => playWriters(processes, 10).mostMs;
  expect(playWriters(1, 0.02).mostMs).toBeCloseTo(CHANGE_SECONDS * 1_000);
  expect(most(2)).toBeGreaterThan(2 * most(1));
  expect(most(10)).toBeGreaterThan(most(2));
  expect(playWriters(10, 30).givenUp).toBeGreaterThan(0);
});

test('a reader catches up until it is more versions behind than the journal is read for', () => {
  const site: LargeSite = { devices: 100_000, changedPerMinute: 1_000, instances: 10, askedEverySeconds: 13 };
  expect(useOf(site)).toMatchObject({ reloads: false, loadEnds: true, behindSeconds: null });
  expect(useOf({ ...site, askedEverySeconds: 600 })).toMatchObject({ reloads: true });
  const all = useOf({ ...site, changedPerMinute: 100_000 });
  expect(all).toMatchObject({ reloads: true, loadEnds: false, behindSeconds: 200 });
  expect(all.versionsPerSecond).toBeCloseTo(1 / CHANGE_SECONDS, 1);
  expect(all.writerBusy).toBeCloseTo(100_000 / 30_000, 1);
});

test('executions of waiting are a quantile of the Poisson distribution, in the busiest hour', () => {
  /** Commands of one second that are as many as this in the mean of the busiest hour. */
  const ofMean = (mean: number) => executionsOfWaiting({ perMonth: (mean / 4) * SECONDS_A_MONTH, seconds: 1 });
  expect([0, 1, 10].map(ofMean)).toEqual([0, 5, 21]);
  expect(Math.abs(ofMean(10_000) - (10_000 + 3.09 * 100))).toBeLessThan(5);
});

test('waiting to the end is paid for by the second, one process by the hour, and a notice hardly by either', () => {
  const cost = (seconds: number) => costOfWaiting({ perMonth: 300_000, seconds }, 0.5);
  expect(cost(280).toTheEnd).toBeCloseTo(28 * cost(10).toTheEnd);
  expect(cost(10).thenAsking).toBe(cost(10).toTheEnd);
  expect(cost(280).notice - cost(10).notice).toBeLessThan(0.2);
  const perMonth = breakEvenSeconds(0.5) / 60;
  const even = costOfWaiting({ perMonth, seconds: 60 }, 0.5);
  expect(even.oneWaiter).toBeCloseTo(even.toTheEnd);
});
