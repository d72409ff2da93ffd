/** Waiting for the end of a command, within the places for calls that wait. */
import type { EndedJob } from '../../shared/agent/messages.ts';
import type { WaitSlots } from '../http/wait-slots.ts';
import type { JobHandle } from './agent-dispatcher.ts';

/** For how long a call may wait without a place: most short commands end within that time. */
const WITHOUT_PLACE_MS = 300;

interface Wait {
  /** Who waits. */
  user: string;
  /** Unix, ms. */
  until: number;
  /** Aborted when nobody waits for the answer any more. */
  gone: AbortSignal;
  /** For how long without a place, if not WITHOUT_PLACE_MS. */
  withoutPlaceMs?: number;
}

/** How a command ended; null when it has not ended in time, when no place is free, or when nobody waits any more. */
export async function endOf(
  places: WaitSlots,
  followed: JobHandle,
  { user, until, gone, withoutPlaceMs = WITHOUT_PLACE_MS }: Wait,
): Promise<EndedJob | null> {
  const left = () => Math.max(0, until - Date.now());
  const abandoned = aborted(gone).then(() => null);
  const early = await Promise.race([followed.end(Math.min(left(), withoutPlaceMs)), abandoned]);
  if (early !== null || gone.aborted || left() === 0) return early;
  const giveBack = places.take('call', user);
  if (giveBack === null) return null;
  try {
    return await Promise.race([followed.end(left()), abandoned]);
  } finally {
    giveBack();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
