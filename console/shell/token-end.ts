/** When to warn that the token expires. */
import type { Rights } from '../api/rights.ts';

const DAY_MS = 86_400_000;
/** Short, because signing in again with the provider is one click. */
const SESSION_MS = 10 * 60_000;

type Ending = Pick<Rights, 'createdAt' | 'expiresAt' | 'isSession'>;

/**
 * Minutes until the token expires, in the last tenth of its life and at most a day before, or ten minutes for a session.
 * Null earlier, and for a token that does not expire.
 */
export function minutesToWarnOf({ createdAt, expiresAt, isSession }: Ending, now: number): number | null {
  if (expiresAt === null) return null;
  const end = Date.parse(expiresAt);
  const life = createdAt === null ? Number.POSITIVE_INFINITY : end - Date.parse(createdAt);
  const leftMs = end - now;
  if (leftMs > Math.min(isSession ? SESSION_MS : DAY_MS, life / 10)) return null;
  return Math.max(0, Math.floor(leftMs / 60_000));
}
