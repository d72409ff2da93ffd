/** Whether the window is too narrow for a drawing, and whether it is touched. */
import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 600px)');

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}

/** A device that is touched is not pointed at. A window as narrow as a phone is taken for one. */
export const isTouched = (): boolean => narrow.matches || window.matchMedia('(pointer: coarse)').matches;
