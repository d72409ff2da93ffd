/** The list by day, as the viewer's zone has days, and where in it the last visit was. */
import { type SiteEvent, timeOf } from './feed.ts';

interface Day {
  /** `2026-11-01`, in the viewer's zone. */
  key: string;
  /** A moment of that day. */
  at: Date;
  entries: SiteEvent[];
}

/** @param entries the newest first */
export function byDay(entries: readonly SiteEvent[]): Day[] {
  const days: Day[] = [];
  for (const entry of entries) {
    const at = new Date(timeOf(entry));
    const key = dayKey(at);
    const last = days.at(-1);
    if (last?.key === key) last.entries.push(entry);
    else days.push({ key, at, entries: [entry] });
  }
  return days;
}

export function dayKey(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** How many days ago that day was; 0 for today. Days of 23 and 25 hours count as one. */
export function daysAgo(time: Date, now: Date): number {
  const noon = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime();
  return Math.round((noon(now) - noon(time)) / 86_400_000);
}

/** How many of the entries happened after what was seen last. */
export function newSince(entries: readonly SiteEvent[], seen: string): number {
  const time = Date.parse(seen);
  const first = entries.findIndex((entry) => timeOf(entry) <= time);
  return first === -1 ? entries.length : first;
}
