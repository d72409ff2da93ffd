/** The simulation of docs/scale.md, with numbers that can be checked by hand. */
import { expect, test } from 'vitest';
import { playOutage, presenceTrueAfter } from './fleet.ts';
import { type LargeSite, useOf } from './large-site.ts';

test('every agent comes back, no more of them in a second than IoT Core lets through, and always in the same way', () => {
  const outage = { agents: 2_000, seconds: 120, connectsPerSecond: 20 };
  const back = playOutage(outage);
  expect(back.connected.reduce((sum, count) => sum + count, 0)).toBe(2_000);
  expect(back.connected.length).toBeGreaterThanOrEqual(2_000 / 20 - 1);
  // A bucket that was full, and what flows off in that second.
  expect(Math.max(...back.connected)).toBeLessThanOrEqual(2 * 20);
  expect(playOutage(outage)).toEqual(back);
});

test('presence is true when the queue is empty: of who has gone, and of who is back', () => {
  const agents = 100;
  const back = { connected: [50, 50] };
  // Quick enough for both: when the last agent has connected.
  expect(presenceTrueAfter({ agents, seconds: 60, connectsPerSecond: 50 }, back, 100)).toBe(2);
  // 200 messages are left from the outage, 200 come, and 10 are handled in a second.
  expect(presenceTrueAfter({ agents, seconds: 0, connectsPerSecond: 50 }, back, 10)).toBe(40);
});

test('a reader catches up until it is more versions behind than the journal is read for', () => {
  const site: LargeSite = { devices: 100_000, changedPerMinute: 1_000, instances: 10, askedEverySeconds: 13 };
  expect(useOf(site)).toMatchObject({ reloads: false });
  expect(useOf({ ...site, askedEverySeconds: 600 })).toMatchObject({ reloads: true });
  const all = useOf({ ...site, changedPerMinute: 100_000 });
  expect(all.reloads).toBe(true);
  expect(all.writerBusy).toBeCloseTo(100_000 / 30_000, 1);
});
