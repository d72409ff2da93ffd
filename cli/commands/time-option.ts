/** Times as people type them: how long ago, a day, or a moment. */
import { InvalidArgumentError } from 'commander';
import { WEEKDAYS } from '../../shared/words.ts';

/** For the help of an option. */
export const TIME_EXAMPLES = '2d, yesterday, friday, 2026-11-01 or 2026-11-01T08:15:00Z';

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The moment that is meant, as the API wants it. Days begin at midnight of this computer's time zone. A weekday is the last
 * one before today.
 * @throws {InvalidArgumentError}
 */
export function timeFrom(text: string, now = new Date()): string {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const time =
    count === undefined
      ? (dayFrom(text, now) ?? momentFrom(text))
      : new Date(now.getTime() - Number(count) * (UNITS_MS[unit] ?? 0));
  if (time !== null && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new InvalidArgumentError(`Expected ${TIME_EXAMPLES}.`);
}

/** For an option of commander, which passes the former value as well. */
export const toTime = (text: string): string => timeFrom(text);

function dayFrom(text: string, now: Date): Date | null {
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()];
  if (text === 'today') return new Date(year, month, date);
  if (text === 'yesterday') return new Date(year, month, date - 1);
  const weekday = (WEEKDAYS as readonly string[]).indexOf(text);
  if (weekday !== -1) return new Date(year, month, date - (((now.getDay() - weekday + 6) % 7) + 1));
  const [, ...parts] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (parts.length === 0) return null;
  const [y = 0, m = 0, d = 0] = parts.map(Number);
  const day = new Date(y, m - 1, d);
  // The 31st of a month that has 30 days would be the first of the next one.
  return day.getMonth() === m - 1 && day.getDate() === d ? day : new Date(Number.NaN);
}

function momentFrom(text: string): Date | null {
  return MOMENT.test(text) ? new Date(text) : null;
}
