/** How the API answers at the moment: whether it can be reached, and whether it asks for a pause. */
import { useSyncExternalStore } from 'react';

interface Connection {
  isReachable: boolean;
  /** Until when the API refuses further requests (RFC 6585 section 4), in milliseconds since 1970; 0 when it does not. */
  pausedUntil: number;
}

/** A pause is over when nothing has been refused for so long. */
const CALM_AFTER_MS = 5_000;
const MAX_JITTER_MS = 1_000;
/** A longer pause is not believed: a person sits in front of this. */
const MAX_PAUSE_S = 300;

let connection: Connection = { isReachable: true, pausedUntil: 0 };
const listeners = new Set<() => void>();
const returnListeners = new Set<() => void>();
let calmTimer = 0;

export function reportReachable(isReachable: boolean): void {
  if (isReachable === connection.isReachable) return;
  change({ ...connection, isReachable });
  if (isReachable) for (const listener of returnListeners) listener();
}

/** @param seconds after which the API may be asked again */
export function reportPause(seconds: number): void {
  const until = Date.now() + Math.min(seconds, MAX_PAUSE_S) * 1000;
  if (until > connection.pausedUntil) change({ ...connection, pausedUntil: until });
  window.clearTimeout(calmTimer);
  calmTimer = window.setTimeout(
    () => change({ ...connection, pausedUntil: 0 }),
    connection.pausedUntil - Date.now() + CALM_AFTER_MS,
  );
}

/**
 * Waits until the API may be asked again, and a little longer, so that not everything that waits goes on at once.
 * @throws {DOMException} when the signal is aborted meanwhile
 */
export async function pauseOver(signal: AbortSignal | undefined): Promise<void> {
  for (let left = leftOfPause(); left > 0; left = leftOfPause()) {
    await new Promise((resolve) => window.setTimeout(resolve, left + MAX_JITTER_MS * Math.random()));
    signal?.throwIfAborted();
  }
}

function leftOfPause(): number {
  return connection.pausedUntil - Date.now();
}

/** Calls the listener whenever the API can be reached again. */
export function onReturn(listener: () => void): void {
  returnListeners.add(listener);
}

export function currentConnection(): Connection {
  return connection;
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}

export function useReachable(): boolean {
  return useConnection().isReachable;
}

function change(next: Connection): void {
  connection = next;
  for (const listener of listeners) listener();
}
