/** When a delivery that has failed is tried again, and when it is given up. */
import { backOffMs } from '../../shared/async.ts';

/** How long a delivery is tried. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const BACK_OFF = { firstMs: 10_000, longestMs: 2 * 3_600_000, least: 0 } as const;
/** Soonest, because full jitter may choose a time that has passed already. */
const SOONEST_MS = 1_000;

/**
 * @param attempts made so far, at least one
 * @param retryAfterMs what the receiver asked for, if it did
 * @returns null when it is given up
 */
export function nextAttempt(
  { attempts, since }: { attempts: number; since: Date },
  now: Date,
  retryAfterMs: number | null,
): Date | null {
  const wanted = retryAfterMs === null ? 0 : Math.min(retryAfterMs, BACK_OFF.longestMs);
  const pauseMs = Math.max(SOONEST_MS, backOffMs(attempts - 1, BACK_OFF), wanted);
  const at = new Date(now.getTime() + pauseMs);
  return at.getTime() - since.getTime() > GIVE_UP_AFTER_MS ? null : at;
}

/** The header Retry-After (RFC 9110 section 10.2.3) in milliseconds from now; null when there is none that can be read. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
