/** Statistics of repeated measurements. */

export interface Sample {
  p50: number;
  p99: number;
}

/** @throws {RangeError} when there are no values */
export function sampleOf(values: readonly number[]): Sample {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
}

export function medianOf(values: readonly number[]): number {
  return sampleOf(values).p50;
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that is at least as large as `percent` of all values (nearest rank). */
function percentile(sorted: readonly number[], percent: number): number {
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('there is nothing to take a percentile of');
  return value;
}

/** Measures several subjects in turn, so that other load affects all alike. The first rounds are discarded. */
export async function inTurn<Subject>(
  subjects: readonly Subject[],
  { warmUp, count }: { warmUp: number; count: number },
  measure: (subject: Subject, round: number) => Promise<number>,
): Promise<Sample[]> {
  const values = subjects.map((): number[] => []);
  for (let round = 0; round < warmUp + count; round++) {
    for (const [i, subject] of subjects.entries()) {
      const value = await measure(subject, round);
      if (round >= warmUp) values[i]?.push(value);
    }
  }
  return values.map(sampleOf);
}
