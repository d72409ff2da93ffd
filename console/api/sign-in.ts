/** Signing in with a provider, which returns a code that works once, and only in the tab with the verifier (as in RFC 7636). */
import { makeStore } from '../ui/store.ts';
import { ask } from './client.ts';
import { problemOf } from './problem.ts';
import { BASE_URL, signIn } from './session.ts';

/** Kept in the tab while the page is at the provider. */
interface Begun {
  verifier: string;
  /** The screen to return to. */
  to: string;
  isKept: boolean;
}

interface SignInState {
  isPending: boolean;
  /** An error code of the API, or `elsewhere` when another tab has begun the sign-in. */
  failure: string | null;
}

const KEY = 'lanreach.sign-in';
const RETURN = /^#\/sign-in\?/;
const NOTHING: SignInState = { isPending: false, failure: null };

export const signInState = makeStore<SignInState>(NOTHING);

/** Leaves the page for the provider, which returns to the present screen. */
export async function beginSignIn(isKept: boolean): Promise<void> {
  const verifier = base64Url(window.crypto.getRandomValues(new Uint8Array(32)));
  const challenge = base64Url(await sha256(verifier));
  const begun: Begun = { verifier, to: window.location.hash.replace(/^#/, '') || '/', isKept };
  window.sessionStorage.setItem(KEY, JSON.stringify(begun));
  window.location.assign(`${BASE_URL}/sign-in/start?${new URLSearchParams({ challenge })}`);
}

/** Exchanges the code in the address for a session. */
export async function finishSignIn(): Promise<void> {
  if (!RETURN.test(window.location.hash)) return;
  const query = new URLSearchParams(window.location.hash.replace(RETURN, ''));
  const code = query.get('code');
  const begun = takeBegun();
  window.history.replaceState(null, '', `#${begun?.to ?? '/'}`);
  if (code === null) return fail(query.get('error') ?? 'invalid');
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

/** A session that exists already stays. */
function fail(failure: string): void {
  signInState.set({ isPending: false, failure });
}

function takeBegun(): Begun | null {
  const kept = window.sessionStorage.getItem(KEY);
  window.sessionStorage.removeItem(KEY);
  return kept === null ? null : (JSON.parse(kept) as Begun);
}

/** A page over plain HTTP has no `crypto.subtle`. */
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
