/** Numbers and times in the viewer's locale and time zone, and in the language of the texts. */
import texts from 'messages:format';
import { language, numberText } from './message-runtime.ts';

export { language, numberText };

/** The `format` of Intl is bound to its formatter. */
const dateFormat = (options: Intl.DateTimeFormatOptions): ((time: Date) => string) =>
  new Intl.DateTimeFormat(language, options).format;

export const dateTimeText = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
export const dayText = dateFormat({ dateStyle: 'full' });
/** The time of day without its seconds. */
export const minuteText = dateFormat({ timeStyle: 'short' });
/** For scales, as is the next. */
export const dayMonthText = dateFormat({ day: 'numeric', month: 'short' });
export const monthText = dateFormat({ month: 'short' });

const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A measured value with its significant digits: `0.42`, `21.4`, `942`. */
export function measuredText(value: number): string {
  return numberText(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** A percentage with one decimal, rounded neither up to 100 nor down to 0. */
export function percentText(percent: number): string {
  return numberText(percent > 0 && percent < 1 ? Number(percent.toPrecision(1)) : Math.floor(percent * 10) / 10);
}

/** `every minute`, `every 6 hours`. */
export function everyText(seconds: number): string {
  const [unit, length] = UNITS.find(([, one]) => seconds % one === 0) ?? (['second', 1] as const);
  return texts.every({ unit, count: seconds / length });
}

/** Parses ISO 8601, or the UTC times of device records (`2026-11-01 08:15:00`). Null for an empty or invalid text. */
export function parseTime(text: string | null | undefined): Date | null {
  if (!text) return null;
  const time = new Date(/^\d{4}-\d\d-\d\d \d/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** `2 hours ago`; the date beyond a week. */
export function timeText(time: Date, now = Date.now()): string {
  const seconds = (time.getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return dateTimeText(time);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(Math.trunc(seconds / 10) * 10, 'second');
}

/** `40 ms`, `1.2 s`, `3 min 20 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toLocaleString(language, { maximumFractionDigits: 1 })} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** The exact time in UTC, for tooltips. */
export function utcText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
