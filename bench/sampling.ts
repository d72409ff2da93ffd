/** Statistics of repeated measurements. */

export interface Sample {
  p50: number;
  p99: number;
  count: number;
}

/** @throws {RangeError} when there are no values */
export function sampleOf(values: readonly number[]): Sample {
  const sorted = [...values].sort((a, b) => a - b);
  return { p50: percentile(sorted, 50), p99: percentile(sorted, 99), count: sorted.length };
}

/** The smallest value that is at least as large as `percent` of all values (nearest rank). */
function percentile(sorted: readonly number[], percent: number): number {
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('there is nothing to take a percentile of');
  return value;
}

/** Repeats a measurement in sequence; the first rounds (warm-up) are discarded. */
export async function repeat(
  { warmUp, count }: { warmUp: number; count: number },
  measure: (round: number) => Promise<number>,
): Promise<Sample> {
  const values: number[] = [];
  for (let round = -warmUp; round < count; round++) {
    const value = await measure(round + warmUp);
    if (round >= 0) values.push(value);
  }
  return sampleOf(values);
}

/** Repeats several measurements in turn, so that other load on the host affects all of them alike. */
export async function repeatInTurn<Name extends string>(
  { warmUp, count }: { warmUp: number; count: number },
  measures: Record<Name, (round: number) => Promise<number>>,
): Promise<Record<Name, Sample>> {
  const names = Object.keys(measures) as Name[];
  const values = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < warmUp + count; round++) {
    for (const name of names) {
      const value = await measures[name](round);
      if (round >= warmUp) values.get(name)?.push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, sampleOf(values.get(name) ?? [])])) as Record<Name, Sample>;
}

/** Duration in milliseconds. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
