/** When a delivery that has failed is tried again, when it is given up, and how long a receiver that fails is left alone. */
import { backOffMs } from '../../shared/async.ts';

/** How long a delivery is tried. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const BACK_OFF = { firstMs: 10_000, longestMs: 2 * 3_600_000, least: 0 } as const;
/** Soonest, because full jitter may choose a time that has passed already. */
const SOONEST_MS = 1_000;
/** Of the time that a receiver has failed, the part for which it is left alone after one more failure. */
const PAUSE_SHARE = 1 / 4;
const LONGEST_PAUSE_MS = 15 * 60_000;

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
  const pauseMs = Math.max(SOONEST_MS, backOffMs(attempts - 1, BACK_OFF), wantedMs(retryAfterMs));
  return unlessTooLate({ since }, new Date(now.getTime() + pauseMs));
}

/**
 * How long no delivery of a hook is attempted after one has failed. The longer the receiver has failed, the longer the
 * pause.
 * @param retryAfterMs what the receiver asked for, if it did
 */
export function pauseMs(failingSince: Date, now: Date, retryAfterMs: number | null): number {
  const share = PAUSE_SHARE * (now.getTime() - failingSince.getTime());
  return Math.max(SOONEST_MS, Math.min(share, LONGEST_PAUSE_MS), wantedMs(retryAfterMs));
}

/** The time of an attempt; null when the delivery is given up before it. */
export function unlessTooLate({ since }: { since: Date }, at: Date): Date | null {
  return at.getTime() - since.getTime() > GIVE_UP_AFTER_MS ? null : at;
}

/** As long as a receiver asks for, but no longer than the longest pause between two attempts. */
function wantedMs(retryAfterMs: number | null): number {
  return Math.min(retryAfterMs ?? 0, BACK_OFF.longestMs);
}

/** The header Retry-After (RFC 9110 section 10.2.3) in milliseconds from now; null when there is none that can be read. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
