/** Measurements of a check in a span of time: one run, or all runs of a bucket. */
import { BATCH_MS, type Point } from '../../../shared/agent/measurements.ts';

/** All values are integers: sums, minima and maxima, so that an hour is the same whether it is built from runs or from buckets. */
export interface Bucket {
  /** Unix, s: when it was measured, or where the bucket begins. */
  at: number;
  runs: number;
  /** Runs without a reply. */
  failed: number;
  /** Packets. */
  sent: number;
  lost: number;
  /** Of the runs with a reply, in µs; 0 when there are none. */
  rttMin: number;
  rttMax: number;
  rttSum: number;
  /** Runs with a known jitter, and its sum in µs. */
  jitterRuns: number;
  jitterSum: number;
}

/** @param from the beginning of the batch, Unix, s */
export function runOf(from: number, [offset, rtt, sent, lost, jitter]: Point): Bucket {
  const micros = rtt === null ? 0 : microsOf(rtt);
  return {
    at: from + Math.min(offset, BATCH_MS / 1000 - 1), // The next second belongs to the next batch.
    runs: 1,
    failed: rtt === null ? 1 : 0,
    sent,
    lost: Math.min(lost, sent),
    ...{ rttMin: micros, rttMax: micros, rttSum: micros },
    jitterRuns: jitter === null ? 0 : 1,
    jitterSum: jitter === null ? 0 : microsOf(jitter),
  };
}

function microsOf(ms: number): number {
  // Probes time out before; a value that an agent invents is cut, so that rows have a maximum size.
  return Math.round(Math.min(ms, 60_000) * 1_000);
}

/** Rolls up into buckets of so many seconds, in order, without empty ones. */
export function rollUp(buckets: readonly Bucket[], seconds: number): Bucket[] {
  const rolled = new Map<number, Bucket>();
  for (const one of buckets) {
    const at = startOf(one.at, seconds);
    const into = rolled.get(at);
    if (into === undefined) rolled.set(at, { ...one, at });
    else addTo(into, one);
  }
  return inOrder(rolled.values());
}

/** The total; null when there are none. */
export function totalOf(buckets: readonly Bucket[]): Bucket | null {
  const [first, ...others] = buckets;
  if (first === undefined) return null;
  const total = { ...first };
  for (const one of others) addTo(total, one);
  return total;
}

function addTo(into: Bucket, one: Bucket): void {
  const [had, has] = [into.failed < into.runs, one.failed < one.runs];
  if (has) {
    into.rttMin = had ? Math.min(into.rttMin, one.rttMin) : one.rttMin;
    into.rttMax = Math.max(into.rttMax, one.rttMax);
  }
  for (const name of ['runs', 'failed', 'sent', 'lost', 'rttSum', 'jitterRuns', 'jitterSum'] as const)
    into[name] += one[name];
}

/** Of two buckets at the same time the one with more runs wins: the other was built earlier, or after a part had expired. */
export function mergeBuckets(some: readonly Bucket[], others: readonly Bucket[]): Bucket[] {
  const merged = new Map(some.map((one) => [one.at, one]));
  for (const one of others) if (one.runs >= (merged.get(one.at)?.runs ?? 0)) merged.set(one.at, one);
  return inOrder(merged.values());
}

export const startOf = (second: number, seconds: number): number => Math.floor(second / seconds) * seconds;

const inOrder = (buckets: Iterable<Bucket>): Bucket[] => [...buckets].sort((a, b) => a.at - b.at);
