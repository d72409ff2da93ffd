/** The span of a report: a calendar month or an ISO week, from midnight to midnight in a time zone. */

export interface Period {
  /** `2026-10`, or `2026-W44`. */
  text: string;
  every: 'week' | 'month';
  /** The first day, and the day after the last one: midnight UTC of the same date (Unix, ms). */
  from: number;
  to: number;
}

const DAY_MS = 86_400_000;

/** Null for anything else than a month such as `2026-10` or an ISO week such as `2026-W44`. */
export function parsePeriod(text: string): Period | null {
  const [, year, week, month] = /^(20\d\d)-(?:W(\d\d)|(\d\d))$/.exec(text) ?? [];
  if (year === undefined) return null;
  const period =
    month === undefined
      ? weekOf(mondayOf(Date.UTC(Number(year), 0, 4)) + (Number(week) - 1) * 7 * DAY_MS)
      : monthOf(Date.UTC(Number(year), Number(month) - 1));
  return period.text === text ? period : null; // There is no month 13, and most years have no week 53.
}

/** The last complete week or month, or one of those before it. */
export function lastPeriod(every: Period['every'], timeZone: string, now: Date, back = 1): Period {
  const today = now.getTime() + offsetAt(now.getTime(), timeZone);
  if (every === 'week') return weekOf(mondayOf(today) - back * 7 * DAY_MS);
  const date = new Date(today);
  return monthOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back));
}

export function boundsOf({ from, to }: Period, timeZone: string): { since: Date; until: Date } {
  return { since: midnight(from, timeZone), until: midnight(to, timeZone) };
}

/** The days of the period, of which the title of a report consists. */
export function periodTitle({ every, from, to }: Period, language: string): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  if (every === 'month') return format({ month: 'long', year: 'numeric' }).format(from);
  return format({ dateStyle: 'long' }).formatRange(from, to - DAY_MS);
}

function monthOf(first: number): Period {
  const date = new Date(first);
  const to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  return { text: date.toISOString().slice(0, 7), every: 'month', from: first, to };
}

function weekOf(monday: number): Period {
  // The week belongs to the year of its Thursday.
  const year = new Date(monday + 3 * DAY_MS).getUTCFullYear();
  const first = mondayOf(Date.UTC(year, 0, 4));
  const week = String(Math.round((monday - first) / (7 * DAY_MS)) + 1).padStart(2, '0');
  return { text: `${year}-W${week}`, every: 'week', from: monday, to: monday + 7 * DAY_MS };
}

function mondayOf(time: number): number {
  const day = Math.floor(time / DAY_MS) * DAY_MS;
  return day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
}

/** When a day begins in the time zone: at its first moment, where the clock skips midnight. */
function midnight(date: number, timeZone: string): Date {
  const guess = date - offsetAt(date, timeZone);
  const exact = date - offsetAt(guess, timeZone);
  return new Date(exact + offsetAt(exact, timeZone) < date ? guess : exact);
}

/** How far the clock of the time zone is ahead of UTC. */
function offsetAt(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(time);
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const clock = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return clock - Math.floor(time / 1000) * 1000;
}
