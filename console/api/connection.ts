/** Whether the API is reachable, and whether it demands a pause. */
import { makeStore } from '../ui/store.ts';

/** The API accepts requests again once nothing was rejected for this long. */
const CALM_AFTER_MS = 5_000;
const MAX_JITTER_MS = 1_000;
/** Longer pauses are cut: a person waits in front of the page. */
const MAX_PAUSE_S = 300;

/** `pausedUntil`: until when the API rejects requests (RFC 6585 section 4), in milliseconds since 1970; 0 for no pause. */
const connection = makeStore({ isReachable: true, pausedUntil: 0 });
const returnListeners = new Set<() => void>();
let calmTimer = 0;

export const currentConnection = connection.get;
export const useConnection = connection.use;

export function useReachable(): boolean {
  return useConnection().isReachable;
}

export function reportReachable(isReachable: boolean): void {
  if (isReachable === connection.get().isReachable) return;
  connection.set({ ...connection.get(), isReachable });
  if (isReachable) for (const listener of returnListeners) listener();
}

/** @param seconds after which the API accepts requests again */
export function reportPause(seconds: number): void {
  const until = Date.now() + Math.min(seconds, MAX_PAUSE_S) * 1000;
  if (until > connection.get().pausedUntil) connection.set({ ...connection.get(), pausedUntil: until });
  window.clearTimeout(calmTimer);
  const end = () => connection.set({ ...connection.get(), pausedUntil: 0 });
  calmTimer = window.setTimeout(end, leftOfPause() + CALM_AFTER_MS);
}

/**
 * Waits until the API accepts requests again, plus jitter, so that not all waiting requests start at once.
 * @throws {DOMException} when the signal is aborted meanwhile
 */
export async function pauseOver(signal: AbortSignal | undefined): Promise<void> {
  for (let left = leftOfPause(); left > 0; left = leftOfPause()) {
    await new Promise((resolve) => window.setTimeout(resolve, left + MAX_JITTER_MS * Math.random()));
    signal?.throwIfAborted();
  }
}

function leftOfPause(): number {
  return connection.get().pausedUntil - Date.now();
}

/** Calls the listener whenever the API becomes reachable again. */
export function onReturn(listener: () => void): void {
  returnListeners.add(listener);
}
