/** What was seen at the last visit of a list of events: remembered in this browser, for each list of each API. */
import { BASE_URL } from '../../api/session.ts';

export interface Visit {
  /** When it was, by the clock of this browser. */
  at: string;
  /** The time of the newest event that was shown, by the clock of the API. */
  seen: string;
}

/** @param list id of a site; `*` for all of them */
export function lastVisit(list: string): Visit | null {
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
    // A browser that keeps nothing marks nothing as new.
  }
}

function keyOf(list: string): string {
  return `lanreach.visit ${new URL(BASE_URL).pathname} ${list}`;
}

function isVisit(value: unknown): value is Visit {
  if (typeof value !== 'object' || value === null) return false;
  const { at, seen } = value as Partial<Record<string, unknown>>;
  return [at, seen].every((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)));
}
