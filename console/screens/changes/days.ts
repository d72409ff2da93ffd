/** Days as the fields for dates have them (`2026-11-01`), by the clock of the viewer. */

const FRIDAY = 5;
/** Changes are kept so long. */
export const KEPT_DAYS = 90;

export function dayOf(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

export function daysBefore(now: Date, days: number): string {
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

/** The last Friday before today. */
export function lastFriday(now: Date): string {
  return daysBefore(now, ((now.getDay() - FRIDAY + 6) % 7) + 1);
}

/** The beginning of a day, or of the one after so many, as ISO 8601; null for what is no day. */
export function beginOfDay(day: string, later = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (date === undefined) return null;
  const time = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
