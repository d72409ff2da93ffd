/** The header Retry-After (RFC 9110 section 10.2.3). */

/** A longer wait is not believed: a person sits in front of this. */
const MAX_SECONDS = 300;

/** Seconds from now; null when there is none that can be read. */
export function retryAfterSeconds(header: string | null, now = Date.now()): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.min(MAX_SECONDS, Math.max(0, seconds));
}
