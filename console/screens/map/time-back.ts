/** The times of the slider, in minutes before now. */

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** Keeps the oldest moment within what the API stores. */
const MARGIN_MINUTES = 120;

/** At most so many days, and not before the site existed. */
export function minutesBack(days: number, present: number, since: string | null): number {
  const most = days * DAY_MINUTES - MARGIN_MINUTES;
  const ever = since === null ? most : Math.floor((present - Date.parse(since)) / MINUTE_MS);
  return Math.max(0, Math.min(most, ever));
}

/** An hour, or finer for a young site. */
export const stepOf = (most: number): number => (most > 2 * DAY_MINUTES ? 60 : most > 240 ? 5 : 1);

export function timeBack(minutes: number, present: number): string | null {
  return minutes === 0 ? null : new Date(present - minutes * MINUTE_MS).toISOString();
}
