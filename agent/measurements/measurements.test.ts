import { readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BATCH_MS, type Change, MeasurementsBody } from '../../shared/agent/measurements.ts';
import { MAX_PAYLOAD_BYTES, unpackMeasurements } from '../../shared/agent/wire.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { holdTheClock } from '../../test/support/held-clock.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { KINDS, UpstreamLog, type UpstreamOptions } from '../upstream/upstream-log.ts';
import { Measurements } from './measurements.ts';

const START = Date.UTC(2026, 10, 1, 12);
const log = pino({ level: 'silent' });
const folder = folderOfEachTest();
beforeEach(() => {
  holdTheClock();
  vi.setSystemTime(START);
});
afterEach(() => void vi.useRealTimers());

const idOf = (i: number) => i.toString(16).padStart(12, '0');
const failed = (i: number, at = START): Change => ({ t: 'check', check: idOf(i), at, ok: false, reason: 'no answer' });
const measured = { rttMs: 1.23456, sent: 5, lost: 0, jitterMs: 0.1 };

/** An agent with its link; `die` leaves its files as kill -9 would. */
async function start(options: UpstreamOptions = {}) {
  const sent: MeasurementsBody[] = [];
  const sizes: number[] = [];
  let isUp = true;
  const upstream = await UpstreamLog.open(join(folder.path, 'upstream.log'), log, options);
  const agent = new Measurements({
    upstream,
    async publish(payload) {
      if (!isUp) throw new Error('not connected');
      sizes.push(payload.length);
      sent.push(MeasurementsBody.parse(unpackMeasurements(payload)));
    },
    log,
  });
  agent.connected();
  return {
    ...{ agent, upstream, sent, sizes },
    setLink: (up: boolean) => {
      isUp = up;
      if (up) agent.connected();
      else agent.disconnected();
    },
    /** Waits until so many messages were sent in all. */
    messages: (count: number) => waitFor(`${count} messages`, () => sent.length >= count && sent),
    die: () => {
      agent.stop();
      return upstream.close();
    },
  };
}

/** Lets so much time go by, in steps. */
async function pass(ms: number, stepMs = 1_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    vi.advanceTimersByTime(Math.min(stepMs, ms - passed));
    await new Promise(setImmediate);
  }
}
/** Until the batch of now has ended for sure. */
const untilBatchEnds = (stepMs = 1_000) => pass(BATCH_MS - (Date.now() % BATCH_MS) + 71_000, stepMs);

test('without anything to tell, there is no file, no timer and no message', async () => {
  const { agent, sent } = await start();
  agent.keepOnly(new Set());
  await pass(60 * MINUTE_MS, MINUTE_MS);
  expect(vi.getTimerCount()).toBe(0);
  expect(sent).toEqual([]);
  expect(await readdir(folder.path)).toEqual([]);
});

test('changes within a second are one message; it is sent again until it is confirmed, ever more rarely', async () => {
  const { agent, sent, messages, die } = await start();
  expect(await agent.report([failed(1)])).toBe(true);
  expect(await agent.report([failed(2)])).toBe(true);
  expect(sent).toEqual([]);
  await pass(1_000);
  const [first] = await messages(1);
  expect(first).toEqual({ n: START, changes: [failed(1), failed(2)], points: null });
  const times: number[] = [];
  while (times.length < 6) {
    const count = sent.length;
    await pass(1_000);
    if (sent.length > count) times.push(Date.now() - START - 1_000);
  }
  expect(sent.every((body) => body.n === first?.n)).toBe(true);
  const waits = times.map((at, i) => at - (times[i - 1] ?? 0));
  for (const [i, wait] of waits.entries())
    expect(wait).toBeGreaterThan(Math.min(900_000, 30_000 * 2 ** i) * 0.9 - 2_000); // Seen by the second.
  agent.measured(first!.n - 1);
  agent.measured(first!.n);
  const count = sent.length;
  await pass(60 * MINUTE_MS, MINUTE_MS);
  expect(sent).toHaveLength(count);
  expect(agent.reported(idOf(1))).toEqual({ ok: false });
  await die();
});

test('one message is under way at a time, in the order of their numbers, also when the clock is set back', async () => {
  const { agent, sent, messages, die } = await start();
  for (let i = 0; i < 450; i++) void agent.report([failed(i)]);
  await pass(1_000);
  for (let count = 1; count <= 3; count++) {
    const body = (await messages(count))[count - 1]!;
    expect(sent).toHaveLength(count);
    if (count === 1) vi.setSystemTime(START - 60 * MINUTE_MS);
    agent.measured(body.n);
  }
  expect(sent.map(({ changes }) => changes.length)).toEqual([200, 200, 50]);
  const numbers = sent.map(({ n }) => n);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  await die();
});

test('points of five minutes are one message, which says after which one it comes; a gap stays a gap', async () => {
  const { agent, sent, messages, die } = await start();
  for (let minute = 0; minute < 5; minute++) {
    agent.point(idOf(1), Date.now(), measured);
    if (minute < 2) agent.point(idOf(2), Date.now(), { rttMs: null, sent: 5, lost: 5, jitterMs: null });
    await pass(MINUTE_MS);
  }
  await pass(71_000);
  const [first] = await messages(1);
  const points = [0, 60, 120, 180, 240].map((second) => [second, 1.235, 5, 0, 0.1]);
  expect(first?.points).toEqual({
    from: START,
    before: null,
    checks: [
      [idOf(1), points],
      [idOf(2), [0, 60].map((second) => [second, null, 5, 5, null])],
    ],
  });
  agent.measured(first!.n);
  await pass(20 * MINUTE_MS);
  agent.point(idOf(1), Date.now(), measured);
  await untilBatchEnds();
  const [, second] = await messages(2);
  expect(second?.points).toMatchObject({ from: START + 25 * MINUTE_MS, before: START });
  expect(sent).toHaveLength(2);
  // Points of a reported batch, after this host slept or its clock was set back.
  agent.measured(second!.n);
  agent.point(idOf(1), START + 26 * MINUTE_MS, measured);
  vi.setSystemTime(START + 26 * MINUTE_MS);
  agent.point(idOf(1), Date.now(), measured);
  await untilBatchEnds();
  await die();
  const { upstream } = await start();
  expect(KINDS.flatMap((kind) => upstream.waiting(kind))).toEqual([]);
});

test('changes have greater numbers than points that were sent before, also after kill -9 and by a slow clock', async () => {
  const { agent, messages, die } = await start();
  agent.point(idOf(1), Date.now(), measured);
  await untilBatchEnds();
  const [points] = await messages(1);
  await die();
  vi.setSystemTime(START - 60 * MINUTE_MS);
  const second = await start();
  await second.agent.report([failed(1)]);
  second.agent.measured((await second.messages(1))[0]!.n);
  expect((await second.messages(2)).find((body) => body.points === null)?.n).toBeGreaterThan(points!.n);
  await second.die();
});

test('after kill -9 nothing is lost, and nothing is reported with another number', async () => {
  const first = await start();
  first.setLink(false);
  first.agent.point(idOf(1), Date.now(), measured);
  await untilBatchEnds();
  await first.agent.report([failed(1)]);
  first.agent.point(idOf(1), Date.now(), measured);
  first.setLink(true);
  const [sent] = await first.messages(1);
  expect(sent?.changes).toEqual([failed(1)]);
  await first.agent.report([failed(2)]);
  await first.die();

  const second = await start();
  expect(second.agent.reported(idOf(2))).toEqual({ ok: false });
  const [again] = await second.messages(1);
  expect(again).toEqual(sent);
  second.agent.measured(again!.n);
  const [, next] = await second.messages(2);
  expect(next?.changes).toEqual([failed(2)]);
  second.agent.measured(next!.n);
  const [, , batch] = await second.messages(3);
  expect(batch?.points).toMatchObject({ from: START, before: null });
  await second.die();

  // It was confirmed, but that was not written down.
  const path = join(folder.path, 'upstream.log');
  const third = await start();
  await third.messages(1);
  const { length } = await readFile(path);
  third.agent.measured(third.sent[0]!.n);
  await third.die();
  await truncate(path, length);
  const fourth = await start();
  const [again2] = await fourth.messages(1);
  expect(again2?.points).toEqual(batch?.points);
  fourth.agent.measured(again2!.n);
  await fourth.die();

  // The batch that was just being collected goes on.
  const fifth = await start();
  fifth.agent.point(idOf(1), Date.now(), measured);
  await untilBatchEnds();
  const [last] = await fifth.messages(1);
  expect(last?.points).toMatchObject({ from: START + BATCH_MS, before: START });
  expect(last?.points?.checks[0]?.[1]).toHaveLength(2);
  await fifth.die();
});

test('a thousand checks fit into one message, whatever they measure, and so do long reasons', async () => {
  const { agent, messages, sizes, die } = await start();
  vi.setSystemTime(START + BATCH_MS - 2_000);
  const random = () => Math.random() * 10;
  for (let i = 0; i < 1_100; i++) {
    const id = Array.from({ length: 12 }, () => Math.floor(Math.random() * 16).toString(16)).join('');
    for (let second = 250; second < 300; second += 4) {
      agent.point(id, START + second * 1_000, { rttMs: random(), sent: 5, lost: 0, jitterMs: random() });
    }
  }
  await untilBatchEnds();
  const [batch] = await messages(1);
  expect(batch?.points?.checks).toHaveLength(1_000);
  agent.measured(batch!.n);
  for (let i = 0; i < 200; i++) {
    const reason = Array.from({ length: 300 }, () => String.fromCharCode(0x4e00 + Math.random() * 20_000)).join('');
    void agent.report([{ ...failed(i), reason } as Change]);
  }
  await pass(1_000);
  const [, changes] = await messages(2);
  expect(changes!.changes.length).toBeGreaterThan(100);
  for (const bytes of sizes) expect(bytes).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
  await die();
});

test('the oldest points go when there are too many; of changes only what later ones have overtaken', async () => {
  const { agent, upstream, messages, setLink, die } = await start({
    limits: { points: { records: 2_000, bytes: 1_000, ageMs: 60 * MINUTE_MS } },
  });
  setLink(false);
  for (let i = 0; i < 20; i++) {
    agent.point(idOf(i), Date.now(), measured);
    await untilBatchEnds(10_000);
  }
  const kept = upstream.waiting('points').flatMap(({ n }) => upstream.read(n)) as { from: number }[];
  expect(kept.length).toBeGreaterThan(3);
  expect(kept.length).toBeLessThan(10);
  expect(kept.map(({ from }) => from)).toEqual(kept.map((_, i) => kept[0]!.from + i * BATCH_MS));
  expect(Date.now() - kept.at(-1)!.from).toBeLessThan(3 * BATCH_MS);

  for (let i = 0; i < 3_000; i++) {
    void agent.report([failed(i % 10, START + i), { t: 'check', check: idOf(i % 10), at: START + i, ok: true }]);
  }
  await agent.report([failed(0), { t: 'address', at: START, address: '203.0.113.7', provider: null }]);
  const changes = upstream.waiting('change').flatMap(({ n }) => upstream.read(n));
  expect(changes.length).toBeLessThan(5_000);
  expect(changes.slice(-2)).toMatchObject([{ check: idOf(0), ok: false }, { address: '203.0.113.7' }]);
  setLink(true);
  const [first] = await messages(1);
  expect(first?.changes.length).toBeGreaterThan(0);
  await die();
});

test('a check that has left the plan is forgotten', async () => {
  const { agent, die } = await start();
  await agent.report([failed(1), failed(2)]);
  agent.keepOnly(new Set([idOf(2)]));
  expect([agent.reported(idOf(1)), agent.reported(idOf(2))]).toEqual([{}, { ok: false }]);
  await die();
  const second = await start();
  expect([second.agent.reported(idOf(1)), second.agent.reported(idOf(2))]).toEqual([{}, { ok: false }]);
  await second.die();
});
