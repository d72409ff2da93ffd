/**
 * Who is signed in: a token, kept for this tab alone, or by this browser where the person has asked for that; and the
 * address of the API beside the console.
 */
import { useSyncExternalStore } from 'react';

export interface Session {
  token: string;
  /** Whether it outlives the tab. */
  isKept: boolean;
}

/** Why there is no session: `unknown` when the API has refused the token from the beginning. */
export type EndReason = 'signed-out' | 'refused' | 'unknown';

/** A session that a link wants to begin in the place of the present one. */
interface Offer {
  token: string;
  to: string;
}

/** Of everything that this tab keeps. */
const PREFIX = 'lanreach.';
const KEY = `${PREFIX}token`;

/** The base URL of the API, without a slash at its end: the console is served at `<base>/console/`. */
export const BASE_URL = new URL('..', window.location.href).href.replace(/\/$/, '');

let session: Session | null = null;
/** Whether the API has taken the token. */
let isKnown = false;
let ended: EndReason | null = null;
let offer: Offer | null = null;
const listeners = new Set<() => void>();

/**
 * Takes the token out of the address (`#token=…`, and `&to=<route>` for where to go), so that it gets into no history,
 * bookmark or screenshot; without one, the token that this tab has kept is used. Where there is a session, somebody else's
 * link is only an offer: what is typed next would go to whoever has made it.
 */
export function openSession(): void {
  const ofTab = window.sessionStorage.getItem(KEY);
  const token = ofTab ?? keptToken();
  if (token !== null) {
    session = { token, isKept: ofTab === null };
    isKnown = true;
  }
  // Who signs out in one tab is signed out in every tab of the same session.
  window.addEventListener('storage', ({ key, newValue }) => {
    if ((key === KEY || key === null) && newValue === null && session?.isKept) set(null, 'signed-out');
  });
  takeToken('#/');
  // A link that is pasted into an open tab changes the address, and does not load the page again.
  window.addEventListener('hashchange', ({ oldURL }) => takeToken(new URL(oldURL).hash));
}

/** @param before the address that stays while it is asked whether the session is to be replaced */
function takeToken(before: string): void {
  const fragment = new URLSearchParams(window.location.hash.replace(/^#\/?/, ''));
  const token = fragment.get('token');
  if (token === null) return;
  const wanted = fragment.get('to') ?? '/';
  const to = wanted.startsWith('/') ? wanted : '/';
  if (session === null) {
    enter({ token, to });
  } else if (session.token === token) {
    window.history.replaceState(null, '', `#${to}`);
  } else {
    window.history.replaceState(null, '', before);
    offer = { token, to };
    tell();
  }
}

function enter({ token, to }: Offer): void {
  window.history.replaceState(null, '', `#${to}`);
  signIn(token);
}

/** Ends the session and begins the one that a link has offered, or leaves everything as it is. */
export function answerOffer(isTaken: boolean): void {
  const answered = offer;
  offer = null;
  if (answered === null || !isTaken) {
    tell();
    return;
  }
  signOut('signed-out'); // So that nothing of the last session is shown in the new one.
  enter(answered);
}

/** @param isKept whether this browser keeps the token until somebody signs out; otherwise it is gone with the tab */
export function signIn(token: string, isKept = false): void {
  isKnown = false;
  set(keptAs({ token, isKept }), null);
}

/** Whether the session that is there outlives the tab. */
export function keepSession(isKept: boolean): void {
  if (session !== null) set(keptAs({ ...session, isKept }), null);
}

/** In the one storage or in the other. A browser that keeps nothing has it for this tab. */
function keptAs({ token, isKept }: Session): Session {
  try {
    if (isKept) {
      window.localStorage.setItem(KEY, token);
      window.sessionStorage.removeItem(KEY);
      return { token, isKept };
    }
    if (keptToken() === token) window.localStorage.removeItem(KEY);
  } catch {
    // It is refused altogether.
  }
  window.sessionStorage.setItem(KEY, token);
  return { token, isKept: false };
}

function keptToken(): string | null {
  try {
    return window.localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The API has answered a request of this session. */
export function confirmSession(): void {
  isKnown = true;
}

/** The API does not take the token, or not any more. */
export function refuseSession(): void {
  const waiting = offer;
  offer = null;
  signOut(isKnown ? 'refused' : 'unknown');
  // There is no session left that the link would replace.
  if (waiting !== null) enter(waiting);
}

export function signOut(reason: EndReason): void {
  // With the token goes whatever this tab has kept of what it was shown.
  const keys = Object.keys(window.sessionStorage).filter((key) => key.startsWith(PREFIX));
  for (const key of keys) window.sessionStorage.removeItem(key);
  if (session !== null && keptToken() === session.token) window.localStorage.removeItem(KEY);
  set(null, reason);
}

/** The session at this moment; null when nobody is signed in. */
export function currentSession(): Session | null {
  return session;
}

/** Calls the listener whenever somebody signs in or out. */
export function onSessionChange(listener: () => void): void {
  let last = session;
  listeners.add(() => {
    const isSame = session?.token === last?.token;
    last = session;
    if (isSame) return;
    listener();
  });
}

export function useSession(): { session: Session | null; ended: EndReason | null } {
  const now = useSyncExternalStore(subscribe, () => session);
  return { session: now, ended };
}

export function useOffer(): Offer | null {
  return useSyncExternalStore(subscribe, () => offer);
}

function set(next: Session | null, reason: EndReason | null): void {
  session = next;
  ended = reason;
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
