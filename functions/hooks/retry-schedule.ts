/** When a receiver that fails is tried again, and when a message is given up. */

/** How long a message is tried. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const SOONEST_MS = 1_000;
/** Of the time that a receiver has failed, the part for which it is left alone after one more failure. */
const PAUSE_SHARE = 1 / 4;
const LONGEST_PAUSE_MS = 30 * 60_000;
/** The longest time that a receiver may ask for. */
const LONGEST_WANTED_MS = 2 * 3_600_000;

/**
 * How long no message is attempted after a failure. The longer the receiver has failed, the longer the pause, give or take
 * a quarter of it, so that hooks with one receiver do not come at the same time.
 * @param retryAfterMs the time that the receiver asked for, if it did
 */
export function pauseMs(failingSince: number, now: number, retryAfterMs: number | null): number {
  const share = Math.min(PAUSE_SHARE * (now - failingSince), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2);
  return Math.ceil(Math.max(SOONEST_MS, share, Math.min(retryAfterMs ?? 0, LONGEST_WANTED_MS)));
}

/** The header Retry-After (RFC 9110 section 10.2.3) in milliseconds from now; null when there is none that can be read. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
