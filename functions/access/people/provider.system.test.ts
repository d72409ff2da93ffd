/** Sign-in at a provider that lies, or that is broken. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  CLIENT_ID,
  type HostileProvider,
  type Lies,
  startHostileProvider,
} from '../../../test/support/hostile-provider.ts';
import { openProvider, type Provider, SignInFailure } from './provider.ts';
import type { ProviderSettings } from './settings.ts';

const REDIRECT_URI = 'http://127.0.0.1:8787/sign-in/callback';
const SECRET = 'a client secret that must not leak';

let hostile: HostileProvider;
beforeAll(async () => {
  hostile = await startHostileProvider();
});
beforeEach(() => {
  hostile.lies = {};
  hostile.asked = [];
});
afterAll(() => hostile[Symbol.asyncDispose]());

function open(settings: Partial<ProviderSettings> = {}): Provider {
  const clientSecret = async () => SECRET;
  return openProvider(
    { issuer: hostile.issuer, clientId: CLIENT_ID, clientSecret, scopes: 'openid email', ...settings },
    () => new Date(),
  );
}

/** One sign-in, in which the browser brings back what it should but for what is given. */
async function signIn(lies: Lies, returned: Record<string, string> = {}, provider = open()) {
  hostile.lies = lies;
  const { url, attempt } = await provider.begin(REDIRECT_URI);
  return provider.finish(hostile.visit(url, returned), attempt);
}

/** Its reason and its message. */
async function failureOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(() => null).catch((error: unknown) => error);
  if (!(error instanceof SignInFailure)) throw new Error(`expected a SignInFailure, not ${String(error)}`);
  // Logging it with all of its members logs no secret.
  expect(error.cause).toBeUndefined();
  expect(error.message).not.toMatch(/eyJ|secret|a-code/);
  return `${error.reason}: ${error.message}`;
}

test('a provider that keeps to the protocol: who signed in, and what the request has in it', async () => {
  const provider = open();
  const { url, attempt } = await provider.begin(REDIRECT_URI);
  const asked = new URL(url);
  expect(asked.origin + asked.pathname).toBe(`${hostile.issuer}/authorize`);
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    ...{ response_type: 'code', client_id: CLIENT_ID, redirect_uri: REDIRECT_URI, scope: 'openid email' },
    ...{ state: attempt.state, nonce: attempt.nonce, code_challenge_method: 'S256' },
  });
  expect(url).not.toContain(attempt.codeVerifier);

  const found = await signIn({
    claims: { groups: ['netops'], name: 'Ada' },
    userInfo: { name: 'other', email: 'a@b.c' },
  });
  expect(found).toMatchObject({ issuer: hostile.issuer, subject: 'ada' });
  // What is signed counts more than what the other endpoint adds.
  expect(found.claims).toMatchObject({ name: 'Ada', email: 'a@b.c', groups: ['netops'] });
  const [{ body, authorization } = { body: new URLSearchParams(), authorization: '' }] = hostile.asked;
  expect(body.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  expect(body.get('redirect_uri')).toBe(REDIRECT_URI);
  expect(authorization).toMatch(/^Basic /);
  expect(body.has('client_secret')).toBe(false);
});

test('a secret is sent as the provider takes it, and a public client has none', async () => {
  await signIn({ metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] } });
  expect(hostile.asked.at(-1)?.body.get('client_secret')).toBe(SECRET);
  await signIn({}, {}, open({ clientSecret: async () => null }));
  expect(hostile.asked.at(-1)?.body.get('client_id')).toBe(CLIENT_ID);
  expect(hostile.asked.at(-1)?.authorization).toBeUndefined();
});

const past = Math.floor(Date.now() / 1000) - 600;

test.each<[string, Lies, RegExp]>([
  ['no signature', { signature: 'none' }, /alg/],
  ['the public key as a shared secret', { signature: 'hmac-with-public-key' }, /alg/],
  ['another key', { signature: 'other-key' }, /signature/],
  ['another audience', { claims: { aud: 'another-client' } }, /audience/],
  ['several audiences, and meant for another', { claims: { aud: [CLIENT_ID, 'b'], azp: 'b' } }, /azp/],
  ['another issuer', { claims: { iss: 'https://login.example.org' } }, /issuer/],
  ['another nonce', { claims: { nonce: 'of another attempt' } }, /nonce/],
  ['expired', { claims: { iat: past - 60, exp: past } }, /expir/],
  ['not valid yet', { claims: { nbf: past + 3_600 } }, /nbf/],
  ['user info of another subject', { userInfo: { sub: 'bob' } }, /sub/],
  ['a code that was used before', { token: 'fails' }, /invalid_grant/],
])('an ID token with %s is refused', async (_, lies, message) => {
  expect(await failureOf(signIn(lies))).toMatch(new RegExp(`^invalid: .*${message.source}`));
});

test('a key that is used for HMAC is refused even when the metadata allow it', async () => {
  const metadata = { id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] };
  for (const signature of ['hmac-with-public-key', 'none'] as const) {
    expect(await failureOf(signIn({ signature, metadata }))).toMatch(/^invalid: /);
  }
});

test('a callback of another provider, or of another attempt, is refused before the code is sent anywhere', async () => {
  const another = { iss: 'https://login.example.org' };
  expect(await failureOf(signIn({}, another))).toMatch(/^invalid: .*iss/);
  expect(await failureOf(signIn({}, { state: 'of another attempt' }))).toMatch(/^invalid: /);
  expect(hostile.asked).toEqual([]);
  // Also one that tells of a refusal.
  expect(await failureOf(signIn({}, { error: 'access_denied', ...another }))).toMatch(/^invalid: /);
  const refused = await failureOf(signIn({}, { error: 'access_denied' }));
  expect(refused).toBe('refused: the provider has refused: access_denied');
});

test('a provider that hangs, drips, floods or sends elsewhere is given up', async () => {
  const impatient = open({ timeoutMs: 300 });
  for (const token of ['hangs', 'drips'] as const) {
    const begun = performance.now();
    expect(await failureOf(signIn({ token }, {}, impatient))).toMatch(/^unreachable: /);
    expect(performance.now() - begun).toBeLessThan(60_000);
  }
  expect(await failureOf(signIn({ token: 'floods' }))).toBe('unreachable: an answer of the provider is too large');
  expect(hostile.sent()).toBeLessThan(20 * 1024 * 1024);
  expect(await failureOf(signIn({ token: 'redirects' }))).toMatch(/^unreachable: /);
});

test('metadata of another issuer, or with addresses that anybody could read on the way, are of no use', async () => {
  hostile.lies = { metadata: { issuer: 'https://login.example.org' } };
  expect(await failureOf(open().begin(REDIRECT_URI))).toMatch(/^invalid: /);
  const inClear = signIn({ metadata: { token_endpoint: 'http://login.example.org/token' } });
  expect(await failureOf(inClear)).toBe('invalid: the provider names an address without TLS');
});

test('after a failure, the next attempt fetches the metadata again', async () => {
  const provider = open();
  hostile.lies = { metadata: { issuer: 'https://login.example.org' } };
  await failureOf(provider.begin(REDIRECT_URI));
  expect(await signIn({}, {}, provider)).toMatchObject({ subject: 'ada' });
});
