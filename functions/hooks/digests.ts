/** When the digest of a hook is due: once a day or a week. */
import { type Digest, WEEKDAYS } from '../../shared/schedule-terms.ts';
import { turnsBetween } from '../../shared/schedule-turns.ts';
import type { Span } from '../devices/read-changes.ts';
import type { StoredHook } from './hook-store.ts';

/** Longer than a digest's pause. */
const LOOK_BACK_MS = 8 * 86_400_000;

/** What the digest of a hook covers that is due now; null when none is. */
export function dueSpan(
  { enabled, problem, digest, digestedAt }: Pick<StoredHook, 'enabled' | 'problem' | 'digest' | 'digestedAt'>,
  timeZone: string,
  now: Date,
): Span | null {
  if (!enabled || problem !== null || digest === undefined) return null;
  const since = new Date(Math.max(digestedAt ?? 0, Date.parse(digest.from)));
  const timing = { cron: cronOf(digest.at), from: 1, jitterSeconds: 0 };
  const after = Math.max(since.getTime(), now.getTime() - LOOK_BACK_MS);
  const [until] = turnsBetween({ timing, timeZone }, after, now.getTime(), 1);
  return until === undefined ? null : { since, until: new Date(until) };
}

function cronOf(digest: Digest): string {
  const [hour = '', minute = ''] = digest.at.split(':');
  return `${Number(minute)} ${Number(hour)} * * ${digest.every === 'day' ? '*' : WEEKDAYS.indexOf(digest.weekday)}`;
}
