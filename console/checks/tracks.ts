/** Series of the API as tracks of a chart. */
import type { OneSeries } from '../../shared/api/series.ts';
import type { Track } from '../ui/chart/track.ts';

/** Repeats `RESOLUTIONS` of the API, which would bring its schemas into the bundle. */
const STEP_S: Record<OneSeries['resolution'], number | null> = { raw: null, '5m': 300, '1h': 3_600, '1d': 86_400 };

interface Wanted {
  value: string;
  /** The columns with the least and the greatest value of each bucket. */
  low?: string;
  high?: string;
  /** The distance of values at the resolution `raw`. */
  rawStepMs: number;
}

/** One track for each series with the column; named after the agent, where there are several. */
export function tracksOf(series: readonly OneSeries[], { value, low = '', high = '', rawStepMs }: Wanted): Track[] {
  const withIt = series.filter((one) => columnOf(one, value) !== null);
  return withIt.map((one): Track => {
    const [lows, highs] = [columnOf(one, low), columnOf(one, high)];
    const seconds = STEP_S[one.resolution];
    return {
      name: withIt.length > 1 ? (one.agent ?? '') : '',
      times: one.times.map((time) => time * 1000),
      values: columnOf(one, value) ?? [],
      ...(lows === null || highs === null ? {} : { low: lows, high: highs }),
      ...(seconds === null ? { stepMs: rawStepMs, isMoment: true } : { stepMs: seconds * 1000 }),
    };
  });
}

function columnOf({ columns }: OneSeries, name: string): (number | null)[] | null {
  const column = columns.find((one) => one.name === name);
  return column?.values.map((value) => (typeof value === 'number' ? value : null)) ?? null;
}
