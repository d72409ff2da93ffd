/** Whether the API can be reached, as the last request has shown. */
import { useSyncExternalStore } from 'react';

let isReachable = true;
const listeners = new Set<() => void>();

export function reportReachable(now: boolean): void {
  if (now === isReachable) return;
  isReachable = now;
  for (const listener of listeners) listener();
}

export function useReachable(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isReachable,
  );
}
