/** A duration in at most two units: `3 d 4 h`, `12 min`. */
import units from 'messages:format';

const MINUTE_MS = 60_000;

export function lastedText(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  const [d, h, m] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  const parts = d > 0 ? [`${d} ${units.days}`, h] : h > 0 ? [`${h} ${units.hours}`, m] : null;
  if (parts === null) return minutes === 0 ? `< 1 ${units.minutes}` : `${m} ${units.minutes}`;
  const [first, second] = parts;
  return second === 0 ? String(first) : `${first} ${second} ${d > 0 ? units.hours : units.minutes}`;
}
