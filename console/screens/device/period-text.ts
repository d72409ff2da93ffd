/** How long something lasted, in words, and in no more than two units. */
import { texts } from './texts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function periodText(ms: number): string {
  const { days, hours, minutes, lessThanAMinute } = texts;
  const [d, h, m] = [
    Math.floor(ms / DAY_MS),
    Math.floor((ms % DAY_MS) / HOUR_MS),
    Math.floor((ms % HOUR_MS) / MINUTE_MS),
  ];
  if (d > 0) return h > 0 ? `${days(d)} ${hours(h)}` : days(d);
  if (h > 0) return m > 0 ? `${hours(h)} ${minutes(m)}` : hours(h);
  return m > 0 ? minutes(m) : lessThanAMinute;
}
