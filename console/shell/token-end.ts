/** When a person is warned that the token of the session ends. */

const DAY_MS = 86_400_000;
/** Whoever signed in with the provider does so again with one click. */
const SESSION_MS = 10 * 60_000;

interface Ending {
  createdAt: string | null;
  expiresAt: string | null;
  isSession: boolean;
}

/**
 * Minutes until the token ends, when that is to be said: in the last tenth of its life, and not more than a day before, or
 * ten minutes for a session. Null as long as there is nothing to say, and when the token does not end.
 */
export function minutesToWarnOf({ createdAt, expiresAt, isSession }: Ending, now: number): number | null {
  if (expiresAt === null) return null;
  const end = Date.parse(expiresAt);
  const life = createdAt === null ? Number.POSITIVE_INFINITY : end - Date.parse(createdAt);
  const leftMs = end - now;
  if (leftMs > Math.min(isSession ? SESSION_MS : DAY_MS, life / 10)) return null;
  return Math.max(0, Math.floor(leftMs / 60_000));
}
