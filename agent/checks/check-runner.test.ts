import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Change, MAX_REASON_CHARACTERS } from '../../shared/agent/measurements.ts';
import { EMPTY_PLAN, type PlannedCheck, type Probe } from '../../shared/agent/plan.ts';
import { deferred } from '../../shared/async.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { holdTheClock } from '../../test/support/held-clock.ts';
import { isOfOthers, reportedState, subjectOf } from '../measurements/reported.ts';
import { CheckRunner, type CheckRunnerOptions, slotAfter, spreadOf } from './check-runner.ts';
import { answered, type Finding, notSent, unanswered } from './finding.ts';

const START = Date.UTC(2026, 10, 1, 12);

beforeEach(() => {
  holdTheClock();
  vi.setSystemTime(START);
});
const running: CheckRunner[] = [];
afterEach(() => {
  for (const runner of running.splice(0)) runner.stop();
  vi.useRealTimers();
});

const idOf = (i: number) => i.toString(16).padStart(12, '0');
const pings = (count: number, everySeconds = 60): PlannedCheck[] =>
  Array.from({ length: count }, (_, i) => ({ id: idOf(i), everySeconds, probe: { kind: 'ping', host: idOf(i) } }));
const planOf = (checks: PlannedCheck[]) => ({ ...EMPTY_PLAN, checks });

interface Run {
  at: number;
  host: string;
}

function startRunner(
  answer: (probe: Probe, signal: AbortSignal) => Finding | Promise<Finding> = () => answered(1),
  options: Partial<CheckRunnerOptions> = {},
) {
  const known = new Map<string, Change>();
  const [runs, points, changes]: [Run[], { check: string; at: number }[], Change[]] = [[], [], []];
  const runner = new CheckRunner({
    client: 'local:home:main',
    async probe(probe, signal) {
      runs.push({ at: Date.now(), host: 'host' in probe ? probe.host : probe.kind });
      return answer(probe, signal);
    },
    publicAddress: async () => null,
    measurements: {
      reported: (check) => reportedState(check, (subject) => known.get(subject)),
      get address() {
        const address = known.get('address');
        return address?.t === 'address' ? address.address : null;
      },
      async report(news) {
        for (const change of news) known.set(subjectOf(change), change);
        changes.push(...news);
        return true;
      },
      point: (check, at) => points.push({ check, at }),
      keepOnly(ids) {
        for (const subject of known.keys()) if (isOfOthers(subject, ids)) known.delete(subject);
      },
    },
    log: pino({ level: 'silent' }),
    ...options,
  });
  running.push(runner);
  return { runner, runs, points, changes, known };
}

/** Everything that happens within so many minutes. */
async function minutes(count: number): Promise<void> {
  for (let second = 0; second < count * 60; second++) await vi.advanceTimersByTimeAsync(1_000);
}

test('a thousand checks are spread over the minute, each once in it', async () => {
  const { runner, runs } = startRunner();
  runner.apply(planOf(pings(1_000)));
  await minutes(2);
  expect(runs).toHaveLength(2_000);
  const inSecond = new Map<number, number>();
  for (const { at } of runs) inSecond.set(Math.floor(at / 1_000), (inSecond.get(Math.floor(at / 1_000)) ?? 0) + 1);
  // 16.7 on average; more than twice that would be a burst.
  expect(Math.max(...inSecond.values())).toBeLessThan(34);
  const first = runs.filter(({ host }) => host === idOf(7)).map(({ at }) => at);
  expect(first[1]! - first[0]!).toBe(MINUTE_MS);
});

test('two agents do not ask at the same moment, one asks at the same moments after a restart', () => {
  const [first, second] = ['a', 'b'].map((client) => slotAfter(START, MINUTE_MS, spreadOf(`${client} ${idOf(1)}`)));
  expect(first).not.toBe(second);
  expect(slotAfter(START + 5 * MINUTE_MS, MINUTE_MS, spreadOf(`a ${idOf(1)}`))).toBe(first! + 5 * MINUTE_MS);
});

test('a check that lasts longer than its interval never runs twice at once, and is ended at its limit', async () => {
  let running = 0;
  let most = 0;
  const { runner, runs, changes } = startRunner(async (_, signal) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    running--;
    return answered(1);
  });
  runner.apply(planOf(pings(1)));
  await minutes(4);
  expect(most).toBe(1);
  expect(runs.length).toBeGreaterThan(2);
  expect(changes).toEqual([
    {
      ...{ t: 'check', check: idOf(0), at: runs[0]?.at, ok: false, reason: 'no answer within 45 s' },
      reasonCode: { code: 'no-answer-within', values: { seconds: 45 } },
    },
  ]);
});

test('no more than 64 run at once, and those that wait come to their turn', async () => {
  const gate = deferred<void>();
  const { runner, runs } = startRunner(async () => {
    await gate.promise;
    return answered(1);
  });
  runner.apply(planOf(pings(200)));
  // Before the first of them reaches its limit.
  vi.advanceTimersByTime(44_000);
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toHaveLength(64);
  gate.resolve();
  await vi.advanceTimersByTimeAsync(16_000);
  expect(new Set(runs.map(({ host }) => host)).size).toBe(200);
});

test('one that is new or has failed once is made within a minute, however long its interval is', async () => {
  const answers = [answered(1), unanswered('gone'), unanswered('gone'), answered(1)];
  const { runner, runs, changes } = startRunner(() => answers.shift() ?? answered(1));
  runner.apply(planOf(pings(1, 3_600)));
  await minutes(180);
  expect(runs[0]!.at - START).toBeLessThanOrEqual(MINUTE_MS);
  expect(runs[2]!.at - runs[1]!.at).toBeLessThanOrEqual(MINUTE_MS);
  expect(runs[3]!.at - runs[2]!.at).toBeGreaterThan(30 * MINUTE_MS);
  expect(changes.map((change) => 'ok' in change && [change.ok, change.at])).toEqual([
    [true, runs[0]?.at],
    [false, runs[1]?.at],
    [true, runs[3]?.at],
  ]);
});

test('what is refused fails without a point: nothing was sent, so nothing was lost', async () => {
  const { runner, points, changes } = startRunner(() => notSent(`refused ${'x'.repeat(1_000)}`));
  runner.apply(planOf(pings(1)));
  await minutes(3);
  expect(points).toEqual([]);
  expect(changes).toMatchObject([{ t: 'check', ok: false, reason: expect.stringMatching(/^refused x+$/) }]);
  const [change] = changes;
  expect(change?.t === 'check' && change.reason?.length).toBe(MAX_REASON_CHARACTERS);
});

test('a defect of a probe is a failure of its check, and the next turn comes', async () => {
  const { runner, runs, changes } = startRunner(() => {
    throw new Error('a defect');
  });
  runner.apply(planOf(pings(1)));
  await minutes(3);
  expect(runs).toHaveLength(3);
  expect(changes).toMatchObject([{ ok: false, reason: 'the check failed because of a defect in the agent' }]);
});

test('a check that leaves the plan ends and is forgotten, one that changes continues with its new settings', async () => {
  let aborted = 0;
  const { runner, runs, known } = startRunner((probe, signal) => {
    if ('host' in probe && probe.host !== 'slow') return answered(1);
    return new Promise(() => signal.addEventListener('abort', () => aborted++));
  });
  const [one, two] = pings(2) as [PlannedCheck, PlannedCheck];
  const slow: PlannedCheck = { id: idOf(9), everySeconds: 60, probe: { kind: 'ping', host: 'slow' } };
  runner.apply(planOf([one, two, slow]));
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect([...known.keys()].sort()).toEqual([`check ${one.id}`, `check ${two.id}`]);
  runs.length = 0;
  runner.apply(planOf([{ ...two, probe: { kind: 'ping', host: 'elsewhere' } }]));
  expect(aborted).toBeGreaterThan(0);
  expect([...known.keys()]).toEqual([`check ${two.id}`]);
  await minutes(2);
  expect(runs.map(({ host }) => host)).toEqual(['elsewhere', 'elsewhere']);
  runner.apply(EMPTY_PLAN);
  expect(vi.getTimerCount()).toBe(0);
  await minutes(2);
  expect(runs).toHaveLength(2);
});

test('when the clock is set back by an hour, checks go on', async () => {
  const { runner, runs } = startRunner();
  runner.apply(planOf(pings(1)));
  await minutes(2);
  vi.setSystemTime(START - 60 * MINUTE_MS);
  await minutes(3);
  expect(runs.length).toBeGreaterThanOrEqual(4);
});

test('the public address: every quarter of an hour, and when the internet is back; reported when it changes', async () => {
  let isUp = true;
  let lookups = 0;
  const found = ['203.0.113.7', '203.0.113.7', '203.0.113.8', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'];
  const { runner, changes } = startRunner(() => (isUp ? answered(1) : { ...unanswered('gone'), gateway: true }), {
    publicAddress: async () => ({ address: found[lookups++] ?? '2001:db8:0:1::9', provider: 'Example' }),
  });
  const addresses = () => changes.flatMap((change) => (change.t === 'address' ? [change.address] : []));
  runner.apply(planOf([{ id: idOf(0), everySeconds: 60, probe: { kind: 'internet', anchors: ['192.0.2.1'] } }]));
  await minutes(10);
  expect([lookups, addresses()]).toEqual([1, ['203.0.113.7']]);
  await minutes(10);
  expect([lookups, addresses()]).toEqual([2, ['203.0.113.7']]);
  isUp = false;
  await minutes(3);
  isUp = true;
  await minutes(1);
  expect([lookups, addresses()]).toEqual([3, ['203.0.113.7', '203.0.113.8']]);
  await minutes(60);
  // The other kind when it came twice, and then its network alone counts.
  expect(addresses().slice(2)).toEqual(['2001:db8::2', '2001:db8:0:1::1']);
});
