/** Events by day in the viewer's time zone, and those since the last visit. */
import { dayOf } from '../changes/days.ts';
import type { SiteEvent } from './feed.ts';

/** When the service recorded it: each site lists its events in this order, however late the agent reported. */
export const timeOf = ({ event }: SiteEvent): number => Date.parse(event.recordedAt);

export function byDay(entries: readonly SiteEvent[]) {
  const days: { key: string; at: Date; entries: SiteEvent[] }[] = [];
  for (const entry of entries) {
    const at = new Date(timeOf(entry));
    const key = dayOf(at);
    const last = days.at(-1);
    if (last?.key === key) last.entries.push(entry);
    else days.push({ key, at, entries: [entry] });
  }
  return days;
}

/** Calendar days between; 0 for today. Days of 23 and 25 hours count as one. */
export function daysAgo(time: Date, now: Date): number {
  const noon = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime();
  return Math.round((noon(now) - noon(time)) / 86_400_000);
}

/** The number of entries after the time `seen`. */
export function newSince(entries: readonly SiteEvent[], seen: string): number {
  const time = Date.parse(seen);
  const first = entries.findIndex((entry) => timeOf(entry) <= time);
  return first === -1 ? entries.length : first;
}
