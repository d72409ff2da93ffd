/**
 * Requests against their yardstick in alternating rounds: in each round everything is measured for a moment, so that
 * other work on the host affects all of it alike. Ratios are taken within a round; of the rounds, the median counts.
 */
import type { LoadGenerator } from './load-generator.ts';
import { type ProcessorTimes, processorMs, processorTimes } from './processes.ts';
import type { RequestRow } from './report.ts';
import { sampleOf } from './sampling.ts';

/** What is sent where, and whose processor time it takes. */
export interface Subject {
  name: string;
  url: string;
  requests: string[];
  status: number;
  server: number;
  engine: number | null;
}

export interface Rounds {
  rounds: number;
  /** How long each subject is measured in a round, with one connection and again with ten. */
  sliceMs: number;
}

const MANY = 10;
/** Before the rounds, so that the code of every subject has been compiled. */
const WARM_UP_MS = 300;

interface Slice {
  latenciesMs: number[];
  perSecond: number;
  serverMs: number;
  engineMs: number;
}

/** @param subjects of which the first is the yardstick of all others */
export async function measureRounds(
  generator: LoadGenerator,
  { rounds, sliceMs }: Rounds,
  subjects: readonly [Subject, ...Subject[]],
): Promise<RequestRow[]> {
  const slices = subjects.map(() => ({ one: [] as Slice[], many: [] as Slice[] }));
  for (const subject of subjects) await measureSlice(generator, subject, MANY, WARM_UP_MS);
  for (let round = 0; round < rounds; round++) {
    for (const [i, subject] of subjects.entries()) {
      slices[i]?.one.push(await measureSlice(generator, subject, 1, sliceMs));
      slices[i]?.many.push(await measureSlice(generator, subject, MANY, sliceMs));
    }
  }
  const [yardstick] = slices;
  return subjects.map(({ name, engine }, i) => {
    const { one, many } = slices[i] ?? { one: [], many: [] };
    const { p50, p99 } = sampleOf(one.flatMap(({ latenciesMs }) => latenciesMs));
    const ratios = (value: (slice: Slice) => number, count: 'one' | 'many') =>
      medianOf((slices[i]?.[count] ?? []).map((slice, at) => value(slice) / value(yardstick?.[count][at] ?? slice)));
    return {
      name,
      p50Ms: p50,
      p99Ms: p99,
      perSecond: medianOf(many.map(({ perSecond }) => perSecond)),
      timesYardstick: ratios(({ latenciesMs }) => medianOf(latenciesMs), 'one'),
      percentOfYardstick: ratios(({ perSecond }) => perSecond, 'many') * 100,
      serverCpuMs: medianOf(many.map(({ serverMs }) => serverMs)),
      timesYardstickCpu: ratios(({ serverMs }) => serverMs, 'many'),
      serverCpuAloneMs: medianOf(one.map(({ serverMs }) => serverMs)),
      engineCpuMs: engine === null ? null : medianOf(many.map(({ engineMs }) => engineMs)),
    };
  });
}

async function measureSlice(
  generator: LoadGenerator,
  { name, url, requests, status, server, engine }: Subject,
  connections: number,
  sliceMs: number,
): Promise<Slice> {
  const look = (): ProcessorTimes[] => [server, engine].map((pid) => (pid === null ? new Map() : processorTimes(pid)));
  const before = look();
  const { statuses, failed, latenciesMs, elapsedMs } = await generator.run({
    url,
    requests,
    connections,
    warmUp: 1, // The first answer on a connection takes longer.
    forMs: sliceMs,
  });
  const [serverMs = 0, engineMs = 0] = look().map((after, i) => processorMs(before[i] ?? new Map(), after));
  const { [status]: answered = 0, ...others } = statuses;
  if (failed > 0 || Object.keys(others).length > 0) {
    const got = `answers by status ${JSON.stringify(statuses)}, and ${failed} connections without an answer`;
    throw new Error(`${name}: expected only answers with the status ${status}, got ${got}`);
  }
  const perSecond = (latenciesMs.length / elapsedMs) * 1_000;
  return { latenciesMs, perSecond, serverMs: serverMs / answered, engineMs: engineMs / answered };
}

function medianOf(values: readonly number[]): number {
  return sampleOf(values).p50;
}
