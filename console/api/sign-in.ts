/**
 * Signing in with a provider. The page goes to the API and from there to the provider, and comes back with a code that is of
 * use once, and only to the tab that holds the verifier (as in RFC 7636): whoever else sees the address has nothing.
 */
import { makeStore } from '../ui/store.ts';
import { ask } from './client.ts';
import { problemOf } from './problem.ts';
import { BASE_URL, signIn } from './session.ts';

/** What the address says after the way back: a code, or the word for why there is none. */
interface Return {
  code: string | null;
  error: string | null;
}

/** What the tab remembers on its way. */
interface Begun {
  verifier: string;
  /** The screen to return to. */
  to: string;
  isKept: boolean;
}

interface SignInState {
  isPending: boolean;
  /** A word of the API, or `elsewhere` when this tab has not begun it; null while nothing is wrong. */
  failure: string | null;
}

const KEY = 'lanreach.sign-in';
const RETURN = /^#\/sign-in\?/;
const NOTHING: SignInState = { isPending: false, failure: null };

export const signInState = makeStore<SignInState>(NOTHING);

/** Leaves the page for the provider, and comes back to the screen that is shown now. */
export async function beginSignIn(isKept: boolean): Promise<void> {
  const verifier = base64Url(window.crypto.getRandomValues(new Uint8Array(32)));
  const challenge = base64Url(await sha256(verifier));
  const begun: Begun = { verifier, to: window.location.hash.replace(/^#/, '') || '/', isKept };
  window.sessionStorage.setItem(KEY, JSON.stringify(begun));
  window.location.assign(`${BASE_URL}/sign-in/start?${new URLSearchParams({ challenge })}`);
}

/** On the way back: takes the code out of the address, and makes a session of it. */
export async function finishSignIn(): Promise<void> {
  if (!RETURN.test(window.location.hash)) return;
  const query = new URLSearchParams(window.location.hash.replace(RETURN, ''));
  const { code, error }: Return = { code: query.get('code'), error: query.get('error') };
  const begun = takeBegun();
  window.history.replaceState(null, '', `#${begun?.to ?? '/'}`);
  if (code === null) return fail(error ?? 'invalid');
  if (begun === null) return fail('elsewhere');
  signInState.set({ isPending: true, failure: null });
  try {
    const body = { code, verifier: begun.verifier };
    const { token } = await ask('POST /sign-in/session', { body, isAnonymous: true });
    signIn(token, begun.isKept);
    signInState.set(NOTHING);
  } catch (refusal) {
    fail(problemOf(refusal).code);
  }
}

/** Who is signed in already stays so, and is told. */
function fail(failure: string): void {
  signInState.set({ isPending: false, failure });
}

function takeBegun(): Begun | null {
  const kept = window.sessionStorage.getItem(KEY);
  window.sessionStorage.removeItem(KEY);
  return kept === null ? null : (JSON.parse(kept) as Begun);
}

/** A page of plain HTTP has no digest of the browser. */
async function sha256(text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  if (window.isSecureContext) return new Uint8Array(await window.crypto.subtle.digest('SHA-256', bytes));
  const { sha256: digest } = await import('@noble/hashes/sha2.js');
  return digest(bytes);
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
