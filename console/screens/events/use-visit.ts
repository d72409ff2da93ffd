/** What is new since the last visit of a list, and remembering this one. */
import { useEffect, useEffectEvent, useState } from 'react';
import { lastVisit, rememberVisit, type Visit } from './last-visit.ts';

/**
 * @param newest the time of the newest event that is shown; null while that would not be the newest of all
 * @returns the visit before this one; null for the first
 */
export function useVisit(list: string, newest: string | null): Visit | null {
  const [before] = useState(() => lastVisit(list));
  const remember = useEffectEvent(() => {
    if (newest !== null) rememberVisit(list, { at: new Date().toISOString(), seen: newest });
  });
  useEffect(() => {
    // A tab that is closed is hidden first, and often told nothing more.
    const whenHidden = () => {
      if (document.visibilityState === 'hidden') remember();
    };
    document.addEventListener('visibilitychange', whenHidden);
    return () => {
      document.removeEventListener('visibilitychange', whenHidden);
      remember();
    };
  }, []);
  return before;
}
