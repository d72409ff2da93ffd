/** Days of measuring, by a clock that the test holds: what is read at each level is what was measured. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Point } from '../../../shared/agent/measurements.ts';
import type { Resolution } from '../../../shared/api/series.ts';
import { type AgentId, agentId } from '../../../shared/identity.ts';
import { openMemoryTable } from '../../../test/support/memory-table.ts';
import { seeded } from '../../../test/support/seeded.ts';
import { asFunction, judgedTable } from '../../../test/support/table-rights.ts';
import { withRequestCost } from '../../table/request-cost.ts';
import type { Bucket } from './bucket.ts';
import { type Batch, openSeriesStore } from './series-store.ts';

const START = Date.UTC(2026, 10, 2, 21, 40) / 1000;
const BATCH = 300;
const HOUR = 3_600;
const DAY = 86_400;
const MAIN = agentId('home', 'main');
const ATTIC = agentId('home', 'attic');

const checkId = (i: number) => (0x8a11c0ff0000 + i).toString(16);

/** What five minutes of measuring give: a LAN with a slow host, one that loses packets, and one that is often gone. */
function batch(from: number, before: number | null, checks: number, random: () => number): Batch {
  const points = (i: number): Point[] => {
    const found: Point[] = [];
    for (let minute = 0; minute < 5; minute++) {
      const isGone = i % 10 === 3 && random() < 0.4;
      const lost = isGone ? 5 : i % 10 === 4 ? Math.floor(random() * 5) : 0;
      const rtt = (i % 10 === 5 ? 180 : 0.4 + (i % 7) * 4) * (1 + random());
      const jitter = isGone || lost > 3 ? null : rtt / 10;
      found.push([minute * 60 + Math.floor(random() * 5), isGone ? null : rtt, 5, lost, jitter]);
    }
    return found;
  };
  return {
    from: from * 1000,
    before: before === null ? null : before * 1000,
    checks: Array.from({ length: checks }, (_, i) => [checkId(i), points(i)]),
  };
}

/** Checks that are looked at: of each kind one. */
const LOOKED_AT = 6;

const RTT = { rttMin: 0, rttMax: 0, rttSum: 0 };
const EMPTY = { runs: 0, failed: 0, sent: 0, lost: 0, ...RTT, jitterRuns: 0, jitterSum: 0 };
/** What was measured, added up again in the plainest way. */
class Measured {
  /** By agent, check and level; of each in the order of their times, in which they are sent. */
  readonly #buckets = new Map<string, Map<number, Bucket>>();
  static readonly #SECONDS = { raw: 1, '5m': 300, '1h': HOUR, '1d': DAY };

  add(agent: AgentId, { from, checks }: Batch): void {
    for (const [check, points] of checks.slice(0, LOOKED_AT)) {
      for (const [offset, rtt, sent, lost, jitter] of points) {
        for (const [level, seconds] of Object.entries(Measured.#SECONDS)) {
          const second = from / 1000 + offset;
          const at = second - (second % seconds);
          const key = `${agent} ${check} ${level}`;
          const buckets = this.#buckets.get(key) ?? new Map<number, Bucket>();
          const one = buckets.get(at) ?? { ...EMPTY, at };
          const micros = Math.round((rtt ?? 0) * 1000);
          if (rtt !== null) {
            one.rttMin = one.runs === one.failed ? micros : Math.min(one.rttMin, micros);
            one.rttMax = Math.max(one.rttMax, micros);
            one.rttSum += micros;
          }
          one.runs += 1;
          one.failed += rtt === null ? 1 : 0;
          one.sent += sent;
          one.lost += lost;
          one.jitterRuns += jitter === null ? 0 : 1;
          one.jitterSum += Math.round((jitter ?? 0) * 1000);
          this.#buckets.set(key, buckets.set(at, one));
        }
      }
    }
  }

  of(agent: AgentId, check: string, level: Resolution, since: number, until: number): Bucket[] {
    const seconds = Measured.#SECONDS[level];
    const all = this.#buckets.get(`${agent} ${check} ${level}`)?.values() ?? [];
    return [...all].filter(({ at }) => at >= since - (since % seconds) && at < until);
  }
}

function openAt(start: number) {
  let second = start;
  const table = judgedTable(openMemoryTable());
  const store = openSeriesStore(table, () => new Date(second * 1000));
  const at = (time: number) => (second = time);
  return { store, table, at, now: () => second };
}

test('five days of two agents, one of which was away for a day and off for a night: at each level what was measured', async () => {
  const { store, table, at, now } = openAt(START);
  const random = seeded(22);
  const measured = new Measured();
  const end = START + 5 * DAY;
  const agents = {
    [MAIN]: { checks: LOOKED_AT + 1, before: null as number | null, waiting: [] as Batch[] },
    [ATTIC]: { checks: LOOKED_AT, before: null as number | null, waiting: [] as Batch[] },
  };
  const isAway = (time: number) => time >= START + 1.5 * DAY && time < START + 2.9 * DAY;
  const isOff = (time: number) => time >= START + 4 * DAY && time < START + 4.4 * DAY;
  const sent: [AgentId, Batch][] = [];

  async function expectAll(check: string, since: number): Promise<void> {
    for (const agent of [MAIN, ATTIC]) {
      for (const [resolution, kept] of [
        ['raw', 60 * DAY],
        ['5m', 60 * DAY],
        ['1h', 1_096 * DAY],
        ['1d', 1_096 * DAY],
      ] as const) {
        const from = Math.max(since, now() - kept);
        const found = await store.read({ agent, check, resolution, since: from, until: now() });
        const expected = measured.of(agent, check, resolution, from, now());
        // Much faster than the comparison that says what differs.
        if (!isDeepStrictEqual(found, expected))
          expect([agent, resolution, found]).toEqual([agent, resolution, expected]);
      }
    }
  }

  for (let time = START; time < end; time += BATCH) {
    at(time + BATCH + 2);
    for (const agent of [MAIN, ATTIC]) {
      const own = agents[agent] as (typeof agents)[string];
      if (agent === ATTIC && isOff(time)) continue;
      const made = batch(time, own.before, own.checks, random);
      own.before = time;
      own.waiting.push(made);
      if (agent === ATTIC && isAway(time)) continue;
      for (const one of own.waiting.splice(0)) {
        await store.record(agent, one);
        measured.add(agent, one);
        sent.push([agent, one]);
      }
    }
    // A queue delivers some messages again, some of them late.
    if (random() < 0.05) {
      const again = sent[sent.length - 1 - Math.floor(random() * Math.min(40, sent.length))];
      if (again !== undefined) await store.record(...again);
    }
    if ((time - START) % (6 * HOUR) === 0) await table.expire(new Date(now() * 1000));
    // Nothing is missing while a span is open.
    if (random() < 0.006)
      await expectAll(checkId(Math.floor(random() * LOOKED_AT)), time - Math.floor(random() * 4 * DAY));
  }
  for (let i = 0; i < LOOKED_AT; i++) await expectAll(checkId(i), START - DAY);

  // The agents never come back: what they have left open is closed before it expires.
  for (let hour = 1; hour < 70 * 24; hour++) {
    at(end + hour * HOUR);
    if (hour % 24 === 0) await table.expire(new Date(now() * 1000));
    if (hour < 80) for (const agent of [MAIN, ATTIC]) await asFunction('worker', () => store.closeIdle(agent));
  }
  for (const resolution of ['1h', '1d'] as const) {
    const found = await store.read({ agent: ATTIC, check: checkId(3), resolution, since: START, until: end });
    expect(found).toEqual(measured.of(ATTIC, checkId(3), resolution, START, end));
  }
});

describe('what an agent can do wrong', () => {
  test('a batch in two messages is one row, with the runs of both; a run that is sent twice counts once', async () => {
    const { store, now } = openAt(START + BATCH);
    const part = (...points: Point[]): Batch => ({ from: START * 1000, before: null, checks: [[checkId(0), points]] });
    await store.record(MAIN, part([0, 1, 1, 0, null], [60, 2, 1, 0, null]));
    await store.record(MAIN, part([60, 2, 1, 0, null], [120, null, 1, 1, null]));
    const read = () => store.read({ agent: MAIN, check: checkId(0), resolution: '5m', since: START, until: now() });
    const expected = { at: START, runs: 3, failed: 1, sent: 3, lost: 1, rttSum: 3_000, rttMin: 1_000, rttMax: 2_000 };
    expect(await read()).toEqual([{ ...expected, jitterRuns: 0, jitterSum: 0 }]);
    expect(await store.lastRuns([MAIN, ATTIC])).toMatchObject([{ agent: 'main', run: { at: START + 120 } }]);
    // Times beyond the batch, more losses than packets, and more runs than fit.
    const many = Array.from({ length: 10 }, (_, i): Point => [290 + i, 3_600_000, 1, 100, 3_600_000]);
    await store.record(MAIN, part(...many));
    const [bucket] = await read();
    expect(bucket).toMatchObject({ runs: 10, lost: 8, rttMax: 60_000_000 });
  });

  test('with times that it makes up it cannot write more than a row for each batch, nor those of another agent', async () => {
    const { store, table } = openAt(START);
    const random = seeded(1);
    for (let i = 0; i < 50; i++) {
      const from = START + BATCH * Math.floor(random() * 20 - 10);
      await store.record(ATTIC, batch(from, START + BATCH * Math.floor(random() * 10 ** 6 - 10 ** 6 / 2), 2, random));
    }
    const keys: string[] = [];
    for await (const page of table.query('V#home', null)) keys.push(...page.map(({ sk }) => sk));
    expect(keys.filter((key) => key.startsWith('raw#')).length).toBeLessThanOrEqual(20);
    expect(keys.filter((key) => !key.includes('#attic#'))).toEqual([]);
    const wanted = { agent: MAIN, check: checkId(0), resolution: '1d', since: 0, until: START + DAY } as const;
    expect(await store.read(wanted)).toEqual([]);
  });

  test('a row that cannot be read is a gap, and neither hides others nor stops the agent', async () => {
    const { store, table, at } = openAt(START);
    const random = seeded(2);
    for (let i = 0; i < 30; i++) {
      at(START + (i + 1) * BATCH);
      await store.record(MAIN, batch(START + i * BATCH, i === 0 ? null : START + (i - 1) * BATCH, 1, random));
      if (i === 3) await table.put({ pk: 'V#home', sk: `raw#main#${START}`, d: 'x', to: 1, n: 1, ttl: 9e9 });
    }
    const span = { since: START, until: START + DAY };
    const found = await store.read({ agent: MAIN, check: checkId(0), resolution: '5m', ...span });
    expect(found.map((one) => (one.at - START) / BATCH)).toEqual(Array.from({ length: 29 }, (_, i) => i + 1));
  });
});

test.each([
  [10, 0.4],
  [100, 1.6],
  [1_000, 14],
])('%i checks a minute cost at most %f write units a minute, roll-ups included', async (checks, most) => {
  const { store, table, at } = openAt(START);
  const random = seeded(3);
  const span = 3 * HOUR; // With the end of a day in it.
  await withRequestCost(async (cost) => {
    for (let time = START; time < START + span; time += BATCH) {
      at(time + BATCH);
      await store.record(MAIN, batch(time, time - BATCH, checks, random));
    }
    let bytes = 0;
    for await (const page of table.query('V#home', null)) {
      for (const { d } of page) bytes += (d as Uint8Array).length;
    }
    const unitsAMinute = cost.writeUnits / (span / 60);
    console.info({ checks, unitsAMinute, megabytesADay: (8 * bytes) / 1_000_000 });
    expect(unitsAMinute).toBeLessThan(most);
  });
});
