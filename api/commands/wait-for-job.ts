/** Waiting for the end of a command, within the places for calls that wait. */
import type { EndedJob } from '../../shared/agent/messages.ts';
import type { Holder } from '../../shared/turns.ts';
import type { WaitKind, WaitSlots } from '../../store/commands/wait-slots.ts';
import type { JobHandle } from './agent-dispatcher.ts';

/**
 * For how long a call may wait without a place: most short commands end within that time, and need no calls to the
 * table. A stream shows in that time what the agent has of the output.
 */
const WITHOUT_PLACE_MS: Record<WaitKind, number> = { call: 300, stream: 1_000 };

interface Wait {
  kind: WaitKind;
  holder: Holder;
  /** Unix, ms. */
  until: number;
  /** Aborted when nobody waits for the answer any more. */
  gone: AbortSignal;
}

/** How a command ended; null when it has not ended in time, when no place is free, or when nobody waits any more. */
export async function endOf(
  places: WaitSlots,
  followed: JobHandle,
  { kind, holder, until, gone }: Wait,
): Promise<EndedJob | null> {
  const left = () => Math.max(0, until - Date.now());
  const abandoned = aborted(gone).then(() => null);
  const early = await Promise.race([followed.end(Math.min(left(), WITHOUT_PLACE_MS[kind])), abandoned]);
  if (early !== null || gone.aborted || left() === 0) return early;
  const giveBack = await places.take(kind, until, holder);
  if (giveBack === null) return null;
  try {
    return await Promise.race([followed.end(left()), abandoned]);
  } finally {
    await giveBack();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
