/** The last day of a check, as `DayBand` draws it. */
import type { OneSeries } from '../../shared/api/series.ts';

export const DAY_HOURS = 24;
const HOUR_S = 3_600;
/** One lost run in an hour is no outage. */
const ALL_PERCENT = 95;

/**
 * One character for each hour: `#` up, `+` partly up, `.` down, `?` no runs. The best agent decides.
 * @param from Unix, s: the beginning of the first hour
 */
export function hoursOf(series: readonly OneSeries[], from: number): string {
  const best: (number | null)[] = Array.from({ length: DAY_HOURS }, () => null);
  for (const { times, columns } of series) {
    const percents = columns.find(({ name }) => name === 'uptimePercent')?.values ?? [];
    times.forEach((time, i) => {
      const slot = Math.floor((time - from) / HOUR_S);
      const percent = percents[i];
      if (typeof percent !== 'number' || slot < 0 || slot >= DAY_HOURS) return;
      best[slot] = Math.max(best[slot] ?? 0, percent);
    });
  }
  return best.map(characterOf).join('');
}

function characterOf(percent: number | null): string {
  if (percent === null) return '?';
  if (percent >= ALL_PERCENT) return '#';
  return percent > 0 ? '+' : '.';
}
