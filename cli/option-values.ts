/** Values of options as people type them: times, lengths of time, numbers, on and off. The functions are for commander. */
import { InvalidArgumentError } from 'commander';
import { WEEKDAYS } from '../shared/words.ts';

/** For the help of an option. */
export const TIME_EXAMPLES = '2d, yesterday, friday, 2026-11-01 or 2026-11-01T08:15:00Z';

const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 7 * 86_400 };
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Such as 6h; null for anything else. */
function secondsIn(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,7})([smhdw])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNIT_S[unit] ?? 0);
}

/** Seconds. */
export function toSeconds(text: string): number {
  const seconds = secondsIn(text);
  if (seconds !== null) return seconds;
  throw new InvalidArgumentError('Expected a number with s, m, h, d or w, such as 6h.');
}

/** As `toSeconds` takes it. */
export function durationText(seconds: number): string {
  const unit = ['w', 'd', 'h', 'm'].find((one) => seconds > 0 && seconds % UNIT_S[one]! === 0) ?? 's';
  return `${seconds / UNIT_S[unit]!}${unit}`;
}

/**
 * The moment that is meant, as the API wants it. Days begin at midnight of this computer's time zone. A weekday is the last
 * one before today.
 */
export function timeFrom(text: string, now = new Date()): string {
  const ago = text.endsWith('s') ? null : secondsIn(text);
  const moment = () => new Date(MOMENT.test(text) ? text : Number.NaN);
  const time = ago === null ? (dayFrom(text, now) ?? moment()) : new Date(now.getTime() - ago * 1000);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new InvalidArgumentError(`Expected ${TIME_EXAMPLES}.`);
}

/** Without the former value of the option, which commander passes as well. */
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

/** When a token is to end: a time from now, or a date. */
export function toExpiry(text: string): Date {
  const seconds = /^[1-9]\d{0,4}[mhdw]$/.test(text) ? secondsIn(text) : null;
  if (seconds !== null) return new Date(Date.now() + seconds * 1000);
  // JavaScript parses a time without a zone as local time, but a date alone as UTC.
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) || MOMENT.test(text);
  if (isDate && !Number.isNaN(Date.parse(text))) return new Date(text);
  throw new InvalidArgumentError('Expected 30m, 12h, 30d, 4w, or a date such as 2030-12-31 or 2030-12-31T18:00:00Z.');
}

export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Expected a number from 1 to ${most}.`);
  };
}

/** Between two looks of `--watch`. */
export function watchSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 2) return Number(text);
  throw new InvalidArgumentError('Expected a number of seconds, 2 at least.');
}

export const onOrOff = eitherOf('on', 'off');
export const yesOrNo = eitherOf('yes', 'no');

function eitherOf(positive: string, negative: string): (word: string) => boolean {
  return (word) => {
    if (word === positive || word === negative) return word === positive;
    throw new InvalidArgumentError(`Expected ${positive} or ${negative}.`);
  };
}

/** In a query. */
export const flag = (given: boolean | undefined) => (given ? ('true' as const) : undefined);

export const listFrom = (text: string): string[] => text.split(',').map((word) => word.trim());
