/** The speed tests and the public addresses of a site, as its series have them. */
import type { OneSeries } from '../../../shared/api/series.ts';

export interface SpeedTest {
  /** Unix, ms. */
  at: number;
  downMbps: number | null;
  upMbps: number | null;
  pingMs: number | null;
}

export function speedTests(series: readonly OneSeries[]): SpeedTest[] {
  return rowsOf(series).map(({ at, value }) => ({
    at,
    downMbps: numberOf(value('downMbps')),
    upMbps: numberOf(value('upMbps')),
    pingMs: numberOf(value('pingMs')),
  }));
}

/** Below this part of the usual speed it is slow, as in the API. */
const SLOW = 0.5;

export function isSlow({ downMbps }: Pick<SpeedTest, 'downMbps'>, usually: number | null): boolean {
  return downMbps !== null && usually !== null && downMbps < usually * SLOW;
}

export function lastAddress(series: readonly OneSeries[]) {
  const last = rowsOf(series).at(-1);
  if (last === undefined) return null;
  const { at, value } = last;
  return { at, address: String(value('address') ?? ''), provider: String(value('provider') ?? '') };
}

type Value = OneSeries['columns'][number]['values'][number];

function rowsOf(series: readonly OneSeries[]) {
  const rows = series.flatMap(({ times, columns }) =>
    times.map((time, i) => ({
      at: time * 1000,
      value: (column: string): Value => columns.find(({ name }) => name === column)?.values[i] ?? null,
    })),
  );
  return rows.sort((a, b) => a.at - b.at);
}

const numberOf = (value: Value): number | null => (typeof value === 'number' ? value : null);

/** The median; null without values. */
export function usual(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}
