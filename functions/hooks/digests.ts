/** When the digest of a hook is due, once a day or a week; and its report, once a week or a month. */
import { lastPeriod, type Period } from '../../shared/report-period.ts';
import { type Digest, WEEKDAYS } from '../../shared/schedule-terms.ts';
import { runsBetween } from '../../shared/schedule-turns.ts';
import type { Span } from '../devices/read-changes.ts';
import type { StoredHook } from './hook-store.ts';

/** The span of the digest of a hook that is due now; null when none is. */
export function dueSpan(
  { enabled, problem, digest, digestedAt }: Pick<StoredHook, 'enabled' | 'problem' | 'digest' | 'digestedAt'>,
  timeZone: string,
  now: Date,
): Span | null {
  if (!enabled || problem !== null || digest === undefined) return null;
  const since = new Date(Math.max(digestedAt ?? 0, Date.parse(digest.from)));
  const timing = { cron: cronOf(digest.at), from: 1, jitterSeconds: 0 };
  // Longer than the interval of a digest.
  const after = Math.max(since.getTime(), now.getTime() - 8 * 86_400_000);
  const [until] = runsBetween({ timing, timeZone }, after, now.getTime(), 1);
  return until === undefined ? null : { since, until: new Date(until) };
}

const DAY_MS = 86_400_000;

/** The report of a hook that is due now: its period, its time zone, and since when it is due; null when none is. */
export function dueReport(
  { report, reportedAt }: Pick<StoredHook, 'report' | 'reportedAt'>,
  siteZone: string,
  now: Date,
): { period: Period; timeZone: string; dueAt: Date } | null {
  if (report === undefined) return null;
  const { every, at, timeZone = siteZone } = report.at;
  const [hour = '', minute = ''] = at.split(':');
  const cron = `${Number(minute)} ${Number(hour)} ${every === 'month' ? '1 * *' : '* * 1'}`;
  const since = Math.max(reportedAt ?? 0, Date.parse(report.from), now.getTime() - 32 * DAY_MS);
  const [due] = runsBetween({ timing: { cron, from: 1, jitterSeconds: 0 }, timeZone }, since, now.getTime(), 1);
  return due === undefined
    ? null
    : { period: lastPeriod(every, timeZone, new Date(due)), timeZone, dueAt: new Date(due) };
}

function cronOf(digest: Digest): string {
  const [hour = '', minute = ''] = digest.at.split(':');
  return `${Number(minute)} ${Number(hour)} * * ${digest.every === 'day' ? '*' : WEEKDAYS.indexOf(digest.weekday)}`;
}
