/** Times in the past that a slider with whole hours leads to. */

const HOUR_MS = 3_600_000;
/** So that the oldest moment is not just past what the API can tell. */
const MARGIN_HOURS = 2;

/** How many hours back there is something to see: at most so many days, and not before the site was added. */
export function hoursBack(days: number, present: number, since: string | null): number {
  const most = days * 24 - MARGIN_HOURS;
  const ever = since === null ? most : Math.floor((present - Date.parse(since)) / HOUR_MS);
  return Math.max(0, Math.min(most, ever));
}

/** ISO 8601; null for the present. */
export function timeBack(hours: number, present: number): string | null {
  return hours === 0 ? null : new Date(present - hours * HOUR_MS).toISOString();
}
