/** What was measured of a check within a span of time: of one run, or of all runs of a bucket. */
import { BATCH_MS, type Point } from '../../../shared/agent/measurements.ts';

/**
 * Everything is a whole number, and a sum, a least or a greatest one, so that a bucket of an hour is the same whether it is
 * made of the runs or of the buckets of five minutes.
 */
export interface Bucket {
  /** Unix, s: when it was measured, or where the bucket begins. */
  at: number;
  runs: number;
  /** Runs without an answer. */
  failed: number;
  /** Packets. */
  sent: number;
  lost: number;
  /** Of the runs with an answer, in µs; 0 when there are none. */
  rttMin: number;
  rttMax: number;
  rttSum: number;
  /** Runs of which the jitter is known, and its sum in µs. */
  jitterRuns: number;
  jitterSum: number;
}

/** No probe waits for longer; what an agent makes up is cut, so that a row has a greatest size. */
const LONGEST_MS = 60_000;

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
  return Math.round(Math.min(ms, LONGEST_MS) * 1_000);
}

/** The buckets of so many seconds into which these fall, in order. A bucket into which none falls is not there. */
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

/** All of them as one; null when there are none. */
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
  for (const name of ['runs', 'failed', 'sent', 'lost', 'rttSum', 'jitterRuns', 'jitterSum'] as const) {
    into[name] += one[name];
  }
}

/** Where both have a bucket, the one of more runs: the other one was made when less had come, or when a part had expired. */
export function mergeBuckets(some: readonly Bucket[], others: readonly Bucket[]): Bucket[] {
  const merged = new Map(some.map((one) => [one.at, one]));
  for (const one of others) if (one.runs >= (merged.get(one.at)?.runs ?? 0)) merged.set(one.at, one);
  return inOrder(merged.values());
}

export function startOf(second: number, seconds: number): number {
  return Math.floor(second / seconds) * seconds;
}

function inOrder(buckets: Iterable<Bucket>): Bucket[] {
  return [...buckets].sort((a, b) => a.at - b.at);
}
