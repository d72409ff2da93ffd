/** The session: its token, kept for this tab or, on request, by this browser; and the address of the API. */
import { keptText, makeStore } from '../ui/store.ts';

export interface Session {
  token: string;
  /** Whether it outlives the tab. */
  isKept: boolean;
}

/** Why there is no session: `unknown` when the API never accepted the token. */
export type EndReason = 'signed-out' | 'refused' | 'unknown';

/** A session that a link wants to begin in place of the present one. */
interface Offer {
  token: string;
  to: string;
}

interface State {
  /** Null while signed out. */
  session: Session | null;
  ended: EndReason | null;
  offer: Offer | null;
}

/** Of everything that this tab keeps. */
const PREFIX = 'lanreach.';
const KEY = `${PREFIX}token`;

/** The base URL of the API, without a slash at its end: the console is served at `<base>/console/`. */
export const BASE_URL = new URL('..', window.location.href).href.replace(/\/$/, '');

const state = makeStore<State>({ session: null, ended: null, offer: null });
/** Whether the API has accepted the token. */
let isConfirmed = false;

/**
 * Takes the token out of the address (`#token=…`, and `&to=<route>` for where to go), so that it gets into no history,
 * bookmark or screenshot; without one, uses the token that this tab has kept. Where there is a session, the link is only
 * an offer: it may be another person's, who would receive what is typed next.
 */
export function openSession(): void {
  const ofTab = window.sessionStorage.getItem(KEY);
  const token = ofTab ?? keptText(KEY);
  if (token !== null) {
    change({ session: { token, isKept: ofTab === null } });
    isConfirmed = true;
  }
  // Signing out in one tab ends the session in every tab.
  window.addEventListener('storage', ({ key, newValue }) => {
    if ((key === KEY || key === null) && newValue === null && currentSession()?.isKept) end('signed-out');
  });
  takeToken('#/');
  // A link that is pasted into an open tab changes the address, and does not load the page again.
  window.addEventListener('hashchange', ({ oldURL }) => takeToken(new URL(oldURL).hash));
}

/** @param before the address that stays while the person decides about an offer */
function takeToken(before: string): void {
  const fragment = new URLSearchParams(window.location.hash.replace(/^#\/?/, ''));
  const token = fragment.get('token');
  if (token === null) return;
  const wanted = fragment.get('to') ?? '/';
  const to = wanted.startsWith('/') ? wanted : '/';
  const session = currentSession();
  if (session === null) {
    enter({ token, to });
  } else if (session.token === token) {
    window.history.replaceState(null, '', `#${to}`);
  } else {
    window.history.replaceState(null, '', before);
    change({ offer: { token, to } });
  }
}

function enter({ token, to }: Offer): void {
  window.history.replaceState(null, '', `#${to}`);
  signIn(token);
}

/** Ends the session and begins the offered one, or leaves everything as it is. */
export function answerOffer(isTaken: boolean): void {
  const { offer } = state.get();
  change({ offer: null });
  if (offer === null || !isTaken) return;
  signOut('signed-out'); // So that the new session shows nothing of the last one.
  enter(offer);
}

/** @param isKept whether this browser keeps the token until the person signs out; otherwise it ends with the tab */
export function signIn(token: string, isKept = false): void {
  isConfirmed = false;
  change({ session: keptAs({ token, isKept }), ended: null });
}

export function keepSession(isKept: boolean): void {
  const session = currentSession();
  if (session !== null) change({ session: keptAs({ ...session, isKept }), ended: null });
}

/** In the one storage or in the other. A browser that keeps nothing has it for this tab. */
function keptAs({ token, isKept }: Session): Session {
  try {
    if (isKept) {
      window.localStorage.setItem(KEY, token);
      window.sessionStorage.removeItem(KEY);
      return { token, isKept };
    }
    if (keptText(KEY) === token) window.localStorage.removeItem(KEY);
  } catch {
    // The browser refuses storage.
  }
  window.sessionStorage.setItem(KEY, token);
  return { token, isKept: false };
}

/** The API has accepted a request of this session. */
export function confirmSession(): void {
  isConfirmed = true;
}

/** The API rejects the token. */
export function refuseSession(): void {
  const { offer } = state.get();
  change({ offer: null });
  signOut(isConfirmed ? 'refused' : 'unknown');
  // There is no session left that the link would replace.
  if (offer !== null) enter(offer);
}

export function signOut(reason: EndReason): void {
  // With the token goes everything that this tab has kept of the session.
  const keys = Object.keys(window.sessionStorage).filter((key) => key.startsWith(PREFIX));
  for (const key of keys) window.sessionStorage.removeItem(key);
  const session = currentSession();
  if (session !== null && keptText(KEY) === session.token) window.localStorage.removeItem(KEY);
  end(reason);
}

export function currentSession(): Session | null {
  return state.get().session;
}

/** Calls the listener whenever a session with another token begins, or one ends. */
export function onSessionChange(listener: () => void): void {
  let last = currentSession()?.token;
  state.subscribe(() => {
    const token = currentSession()?.token;
    if (token === last) return;
    last = token;
    listener();
  });
}

export const useSession = state.use;

function end(ended: EndReason): void {
  change({ session: null, ended });
}

function change(changed: Partial<State>): void {
  state.set({ ...state.get(), ...changed });
}
