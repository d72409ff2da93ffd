/** When a delivery is retried, and when its message is dropped. */
import { MINUTE_MS } from '../../shared/time.ts';

/** How long a message is retried. */
export const DROP_AFTER_MS = 24 * 60 * MINUTE_MS;

/**
 * How long to pause after a failure: a quarter of the time that the receiver has failed, half an hour at most, with jitter,
 * so that hooks with one receiver do not retry at the same time; longer if the receiver requests it, up to two hours.
 * @param retryAfterMs the pause that the receiver has requested, if it did
 */
export function pauseMs(failingSince: number, now: number, retryAfterMs: number | null): number {
  const share = Math.min((now - failingSince) / 4, 30 * MINUTE_MS) * (0.75 + Math.random() / 2);
  return Math.ceil(Math.max(1_000, share, Math.min(retryAfterMs ?? 0, 120 * MINUTE_MS)));
}

/** The header Retry-After (RFC 9110 section 10.2.3) in milliseconds from now; null when it is missing or malformed. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
