/** The last visit of each list of events, kept in this browser for each API. */
import { useEffect, useEffectEvent, useState } from 'react';
import { BASE_URL } from '../../api/session.ts';
import { makeStore } from '../../ui/store.ts';

export interface Visit {
  /** When it was, by the clock of this browser. */
  at: string;
  /** The time of the newest event that was shown, by the clock of the API. */
  seen: string;
}

const changes = makeStore(0);
window.addEventListener('storage', () => changes.set(changes.get() + 1));

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
    // A closing tab becomes hidden first, and often gets no further event.
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

/** The last visit of a list, as it is now. @param list id of a site; `*` for all of them */
export function useLastVisit(list: string): Visit | null {
  changes.use();
  return lastVisit(list);
}

function lastVisit(list: string): Visit | null {
  try {
    const visit: unknown = JSON.parse(window.localStorage.getItem(keyOf(list)) ?? 'null');
    return isVisit(visit) ? visit : null;
  } catch {
    return null; // Nothing can be kept in this browser, or something else has written there.
  }
}

export function rememberVisit(list: string, visit: Visit): void {
  try {
    window.localStorage.setItem(keyOf(list), JSON.stringify(visit));
  } catch {
    // Without storage nothing is marked as new.
  }
  changes.set(changes.get() + 1);
}

const keyOf = (list: string): string => `lanreach.visit ${new URL(BASE_URL).pathname} ${list}`;

function isVisit(value: unknown): value is Visit {
  if (typeof value !== 'object' || value === null) return false;
  const { at, seen } = value as Partial<Record<string, unknown>>;
  return [at, seen].every((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)));
}
