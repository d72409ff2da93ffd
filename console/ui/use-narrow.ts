import { useMemo, useSyncExternalStore } from 'react';

/** Whether the window is at most so many pixels wide. */
export function useNarrow(width = 700): boolean {
  const narrow = useMemo(() => window.matchMedia(`(max-width: ${width}px)`), [width]);
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
