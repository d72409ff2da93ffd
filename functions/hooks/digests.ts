/** When the digest of a hook is due: once a day or a week. */
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

function cronOf(digest: Digest): string {
  const [hour = '', minute = ''] = digest.at.split(':');
  return `${Number(minute)} ${Number(hour)} * * ${digest.every === 'day' ? '*' : WEEKDAYS.indexOf(digest.weekday)}`;
}
