/** Numbers and times as the viewer's country and zone have them, in the language of the texts. */
import texts from 'messages:format';
import { language, numberText } from './message-runtime.ts';

export { language, numberText };

const numbers = new Intl.NumberFormat(language);
const dateTimes = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(language, { dateStyle: 'full' });
const minutes = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
const dayMonths = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
const months = new Intl.DateTimeFormat(language, { month: 'short' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A measured value with the digits that say something: `0.42`, `21.4`, `942`. */
export function measuredText(value: number): string {
  return numbers.format(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** A percentage with one decimal, never 100 where something is missing, and never 0 where there was something. */
export function percentText(percent: number): string {
  return numbers.format(percent > 0 && percent < 1 ? Number(percent.toPrecision(1)) : Math.floor(percent * 10) / 10);
}

/** `1 Gerät`, `2 Geräte`: for sentences that are not messages. */
export function plural(count: number, one: string, many: string): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** `every minute`, `every 6 hours`. */
export function everyText(seconds: number): string {
  const [unit, length] = UNITS.find(([, one]) => seconds % one === 0) ?? (['second', 1] as const);
  return texts.every({ unit, count: seconds / length });
}

/**
 * The time of a text of the API: ISO 8601, or the UTC times of device records (`2026-11-01 08:15:00`). Null for an empty
 * or an unreadable one.
 */
export function parseTime(text: string | null | undefined): Date | null {
  if (text === null || text === undefined || text === '') return null;
  const time = new Date(/^\d{4}-\d\d-\d\d \d/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** `2 hours ago`, and the date for what is further than a week away. */
export function timeText(time: Date, now = Date.now()): string {
  const seconds = (time.getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return dateTimes.format(time);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(Math.trunc(seconds / 10) * 10, 'second');
}

export function dayText(time: Date): string {
  return days.format(time);
}

/** The date and the time of day. */
export function dateTimeText(time: Date): string {
  return dateTimes.format(time);
}

/** The day without its year, for a scale. */
export function dayMonthText(time: Date): string {
  return dayMonths.format(time);
}

/** The month alone, for a scale. */
export function monthText(time: Date): string {
  return months.format(time);
}

/** The time of day without its seconds. */
export function minuteText(time: Date): string {
  return minutes.format(time);
}

/** `40 ms`, `1.2 s`, `3 min 20 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toLocaleString(language, { maximumFractionDigits: 1 })} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** The exact time in UTC, for a hover. */
export function utcText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
