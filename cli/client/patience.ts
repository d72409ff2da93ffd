/** Waiting for the end of what the service does, also where it is out of reach for a moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError } from '../../client/errors.ts';

/** Between two requests, however fast the first was answered: the API may have no place for it to wait. */
export const CHECK_INTERVAL_MS = 2_000;
/** The API may be out of reach for so long while something is waited for. */
const UNREACHABLE_FOR_MS = 60_000;

/** @returns the first that is not null of what `look` returns */
export async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  let answeredAt = Date.now();
  for (;;) {
    const nextAt = Date.now() + CHECK_INTERVAL_MS;
    try {
      const found = await look();
      if (found !== null) return found;
      answeredAt = Date.now();
    } catch (error) {
      if (!mayPass(error, answeredAt)) throw error;
    }
    await sleep(Math.max(0, nextAt - Date.now()));
  }
}

/** Whether a later request may succeed, although this one did not. @param answeredAt when the API has answered last */
export function mayPass(error: unknown, answeredAt: number): boolean {
  const isBroken = error instanceof ConnectionError && Date.now() - answeredAt < UNREACHABLE_FOR_MS;
  return isBroken || isRefusedForNow(error);
}

export function isRefusedForNow(error: unknown): boolean {
  return error instanceof ApiError && ['unavailable', 'busy', 'too_many_requests'].includes(error.code);
}
