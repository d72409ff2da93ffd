/** When the digest of a hook is due, once a day or a week; and its report, once a week or a month. */
import { lastPeriod, type Period } from '../../shared/report-period.ts';
import { WEEKDAYS } from '../../shared/schedule-terms.ts';
import { runsBetween } from '../../shared/schedule-turns.ts';
import { DAY_MS } from '../../shared/time.ts';
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
  const { every, at } = digest.at;
  const days = `* * ${every === 'day' ? '*' : WEEKDAYS.indexOf(digest.at.weekday)}`;
  // Longer than the interval of a digest.
  const until = dueAt({ at, days, timeZone }, Math.max(since.getTime(), now.getTime() - 8 * DAY_MS), now);
  return until === null ? null : { since, until };
}

/** The report of a hook that is due now: its period, its time zone, and since when it is due; null when none is. */
export function dueReport(
  { report, reportedAt }: Pick<StoredHook, 'report' | 'reportedAt'>,
  siteZone: string,
  now: Date,
): { period: Period; timeZone: string; dueAt: Date } | null {
  if (report === undefined) return null;
  const { every, at, timeZone = siteZone } = report.at;
  const days = every === 'month' ? '1 * *' : '* * 1';
  const since = Math.max(reportedAt ?? 0, Date.parse(report.from), now.getTime() - 32 * DAY_MS);
  const due = dueAt({ at, days, timeZone }, since, now);
  return due && { period: lastPeriod(every, timeZone, due), timeZone, dueAt: due };
}

/** The first such time after `since`; null while it is to come. @param days as in the last three fields of cron */
function dueAt(of: { at: string; days: string; timeZone: string }, since: number, now: Date): Date | null {
  const [hour = '', minute = ''] = of.at.split(':');
  const timing = { cron: `${Number(minute)} ${Number(hour)} ${of.days}`, from: 1, jitterSeconds: 0 };
  const [due] = runsBetween({ timing, timeZone: of.timeZone }, since, now.getTime(), 1);
  return due === undefined ? null : new Date(due);
}
