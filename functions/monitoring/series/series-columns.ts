/** Converts stored series to those of responses. */
import type { OneSeries, Resolution } from '../../../shared/api/series.ts';
import { medianOf } from '../../../shared/comparison.ts';
import { type Bucket, totalOf } from './bucket.ts';
import type { PublicAddress, Speed } from './month-store.ts';
import { onlineIn, type Span, type StateChange } from './presence.ts';

type Column = OneSeries['columns'][number];

export interface Shown {
  series: OneSeries[];
  summary: Record<string, number | null>;
}

/** @param byAgent the measurements of each agent, in order */
export function checkSeries(byAgent: ReadonlyMap<string, readonly Bucket[]>, resolution: Resolution): Shown {
  const columns = resolution === 'raw' ? OF_RUNS : OF_BUCKETS;
  const series = [...byAgent]
    .filter(([, buckets]) => buckets.length > 0)
    .map(([agent, buckets]) => ({
      agent,
      resolution,
      times: buckets.map(({ at }) => at),
      columns: columns.map(([name, unit, of]) => ({ name, unit, values: buckets.map(of) })),
    }));
  const total = totalOf([...byAgent.values()].flat());
  const summary = OF_BUCKETS.map(([name, , of]) => [name, total === null ? null : of(total)]);
  return { series, summary: Object.fromEntries(summary) };
}

type Measure = readonly [name: string, unit: string, of: (bucket: Bucket) => number | null];

const rtt: Measure = ['rttMs', 'ms', ({ rttSum, runs, failed }) => millis(rttSum, runs - failed)];
const jitter: Measure = ['jitterMs', 'ms', ({ jitterSum, jitterRuns }) => millis(jitterSum, jitterRuns)];
const loss: Measure = ['lossPercent', '%', ({ lost, sent }) => percent(lost, sent)];
const OF_RUNS = [rtt, jitter, loss];
const OF_BUCKETS: readonly Measure[] = [
  rtt,
  ['rttMinMs', 'ms', ({ rttMin, runs, failed }) => (runs > failed ? millis(rttMin, 1) : null)],
  ['rttMaxMs', 'ms', ({ rttMax, runs, failed }) => (runs > failed ? millis(rttMax, 1) : null)],
  jitter,
  loss,
  ['uptimePercent', '%', ({ runs, failed }) => percent(runs - failed, runs)],
  ['runs', '', ({ runs }) => runs],
];

/** @param seconds of a bucket. @param states of the device, in order */
export function presenceSeries(
  states: readonly StateChange[],
  { from, until }: Span,
  resolution: Resolution,
  seconds: number,
) {
  const times: number[] = [];
  const values: (number | null)[] = [];
  let first = 0;
  for (let at = Math.floor(from / seconds) * seconds; at < until; at += seconds) {
    const span = { from: Math.max(at, from), until: Math.min(at + seconds, until) };
    while ((states[first + 1]?.at ?? Infinity) <= span.from) first++;
    let end = first;
    while ((states[end]?.at ?? Infinity) < span.until) end++;
    const { online, known } = onlineIn(states.slice(first, end), span);
    if (known === 0) continue;
    times.push(at);
    values.push(percent(online, known));
  }
  const whole = onlineIn(states, { from, until });
  return {
    series: [{ agent: null, resolution, times, columns: [{ name: 'onlinePercent', unit: '%', values }] }],
    summary: { uptimePercent: percent(whole.online, whole.known), knownPercent: percent(whole.known, until - from) },
  } satisfies Shown;
}

export function speedSeries(speeds: readonly Speed[]): Shown {
  const columns = [
    ['downMbps', 'Mbit/s'],
    ['upMbps', 'Mbit/s'],
    ['pingMs', 'ms'],
  ] as const;
  const median = (name: (typeof columns)[number][0]) =>
    speeds.length === 0 ? null : medianOf(speeds.map((one) => one[name]));
  const medians = Object.fromEntries(columns.map(([name]) => [name, median(name)]));
  return {
    series: byAgent(speeds, (some) =>
      columns.map(([name, unit]) => ({ name, unit, values: some.map((one) => one[name]) })),
    ),
    summary: { ...medians, tests: speeds.length },
  };
}

export function addressSeries(addresses: readonly PublicAddress[]): Shown {
  const columns = ['address', 'provider'] as const;
  const columnsOf = (some: readonly PublicAddress[]) =>
    columns.map((name) => ({ name, unit: '', values: some.map((one) => one[name]) }));
  return {
    series: byAgent(addresses, columnsOf),
    summary: { addresses: new Set(addresses.map(({ address }) => address)).size },
  };
}

function byAgent<Entry extends { at: number; agent: string }>(
  entries: readonly Entry[],
  columnsOf: (some: readonly Entry[]) => Column[],
): OneSeries[] {
  return [...new Set(entries.map(({ agent }) => agent))].sort().map((agent) => {
    const own = entries.filter((one) => one.agent === agent);
    return { agent, resolution: 'raw', times: own.map(({ at }) => at), columns: columnsOf(own) };
  });
}

function millis(micros: number, count: number): number | null {
  return count === 0 ? null : Math.round(micros / count) / 1_000;
}

/** Never 100 where something is missing, and never 0 where there is something. */
export function percent(part: number, whole: number): number | null {
  if (whole === 0) return null;
  const rounded = Math.round((100_000 * part) / whole) / 1_000;
  if (rounded === 100 && part < whole) return 99.999;
  return rounded === 0 && part > 0 ? 0.001 : rounded;
}
