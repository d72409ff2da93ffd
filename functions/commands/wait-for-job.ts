/** Waiting for the end of a command, within the slots for calls that wait. */
import type { EndedJob } from '../../shared/agent/messages.ts';
import type { WaitSlots } from '../http/wait-slots.ts';
import type { JobHandle } from './agent-dispatcher.ts';

interface Wait {
  /** Who waits: it has a share of the slots. */
  user: string;
  /** Unix, ms. */
  until: number;
  /** Aborted when the caller is gone. */
  gone: AbortSignal;
  /** How long to wait without a slot. Default: long enough for most short commands. */
  withoutSlotMs?: number;
}

/** How a command ended; null when it has not ended in time, when no slot is free, or when the caller is gone. */
export async function endOf(
  slots: WaitSlots,
  followed: JobHandle,
  { user, until, gone, withoutSlotMs = 300 }: Wait,
): Promise<EndedJob | null> {
  const left = () => Math.max(0, until - Date.now());
  const abandoned = aborted(gone);
  const early = await Promise.race([followed.end(Math.min(left(), withoutSlotMs)), abandoned]);
  if (early !== null || gone.aborted || left() === 0) return early;
  const giveBack = slots.take('call', user);
  if (giveBack === null) return null;
  try {
    return await Promise.race([followed.end(left()), abandoned]);
  } finally {
    giveBack();
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
