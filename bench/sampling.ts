/** Numbers out of repeated measurements. */

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

/** The smallest value that at least `percent` of all values do not exceed. */
function percentile(sorted: readonly number[], percent: number): number {
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('there is nothing to take a percentile of');
  return value;
}

/** Repeats something that returns what it measured; the first rounds do not count. One after the other. */
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

/** Milliseconds that it takes. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
