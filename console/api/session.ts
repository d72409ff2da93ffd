/** Who is signed in: a token, kept for this tab alone, and the address of the API beside the console. */
import { useSyncExternalStore } from 'react';

export interface Session {
  token: string;
}

/** Why there is no session, when there was one. */
export type EndReason = 'signed-out' | 'refused';

/** Of everything that this tab keeps. */
const PREFIX = 'lanreach.';
const KEY = `${PREFIX}token`;

/** The base URL of the API, without a slash at its end: the console is served at `<base>/console/`. */
export const BASE_URL = new URL('..', window.location.href).href.replace(/\/$/, '');

let session: Session | null = null;
let ended: EndReason | null = null;
const listeners = new Set<() => void>();

/**
 * Takes the token out of the address (`#token=…`, and `&to=<route>` for where to go), so that it gets into no history,
 * bookmark or screenshot; without one, the token that this tab has kept is used.
 */
export function openSession(): void {
  // A link that is pasted into an open tab changes the address, and does not load the page again.
  window.addEventListener('hashchange', () => {
    takeToken();
  });
  if (takeToken()) return;
  const kept = window.sessionStorage.getItem(KEY);
  if (kept !== null) session = { token: kept };
}

function takeToken(): boolean {
  const fragment = new URLSearchParams(window.location.hash.replace(/^#\/?/, ''));
  const token = fragment.get('token');
  if (token === null) return false;
  const to = fragment.get('to') ?? '/';
  window.history.replaceState(null, '', `#${to.startsWith('/') ? to : '/'}`);
  if (session !== null) signOut('signed-out'); // So that nothing of the last session is shown in the new one.
  signIn(token);
  return true;
}

export function signIn(token: string): void {
  window.sessionStorage.setItem(KEY, token);
  set({ token }, null);
}

export function signOut(reason: EndReason): void {
  // With the token goes whatever this tab has kept of what it was shown.
  const keys = Object.keys(window.sessionStorage).filter((key) => key.startsWith(PREFIX));
  for (const key of keys) window.sessionStorage.removeItem(key);
  set(null, reason);
}

/** The session at this moment; null when nobody is signed in. */
export function currentSession(): Session | null {
  return session;
}

/** Calls the listener whenever somebody signs in or out. */
export function onSessionChange(listener: () => void): void {
  listeners.add(listener);
}

export function useSession(): { session: Session | null; ended: EndReason | null } {
  const now = useSyncExternalStore(subscribe, () => session);
  return { session: now, ended };
}

function set(next: Session | null, reason: EndReason | null): void {
  session = next;
  ended = reason;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
