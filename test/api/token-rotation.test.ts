/** New secrets of tokens, their end, and tokens that people have agreed to. */
import { fail } from 'node:assert';
import { hash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { SIGN_IN, signedIn } from '../support/signed-in.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ signIn: SIGN_IN });
const READ = { scopes: ['devices:read'], sites: '*' };

const idOf = (token: string) => token.slice(3, 19);
const end = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const isValid = async (token: string) => (await system.request('GET', '/tokens/self', { token })).status === 200;

async function rotate(token: string, body?: object, by = system.token) {
  const { status, json } = await system.request('POST', `/tokens/${idOf(token)}/rotate`, { token: by, body });
  return { status, json: json as Record<string, string> };
}

test('a new secret takes the place of the old one, and changes nothing else', async () => {
  const token = await system.createToken({ scopes: ['devices:read'], sites: ['home'] });
  const before = (await system.request('GET', '/tokens/self', { token })).json as object;
  const { status, json } = await rotate(token);
  expect([status, json.token?.startsWith(`lr_${idOf(token)}.`), json.formerValidUntil]).toEqual([200, true, null]);
  expect([await isValid(token), await isValid(json.token ?? '')]).toEqual([false, true]);
  const after = (await system.request('GET', '/tokens/self', { token: json.token ?? '' })).json as object;
  expect({ ...after, lastUsedAt: null }).toEqual({ ...before, lastUsedAt: null });
});

test('the old secret is valid as long as it was asked for, and is refused after', async () => {
  const token = await system.createToken({ scopes: ['devices:read'] });
  const { json } = await rotate(token, { overlapHours: 1 });
  const hours = (Date.parse(json.formerValidUntil ?? '') - Date.now()) / 3_600_000;
  expect(hours > 0.9 && hours <= 1).toBe(true);
  expect([await isValid(token), await isValid(json.token ?? '')]).toEqual([true, true]);
  // As if the hour had passed.
  const { tokens } = system.context;
  const { former } = (await tokens.find(idOf(token))) ?? fail();
  (former ?? fail()).until = Date.now() - 1;
  expect([await isValid(token), await isValid(json.token ?? '')]).toEqual([false, true]);
  expect((await rotate(token, { overlapHours: 169 })).status).toBe(400);

  // Of two secrets before the last, only the last one overlaps.
  const first = await system.createToken({ scopes: ['devices:read'] });
  const second = (await rotate(first, { overlapHours: 24 })).json.token ?? '';
  const third = (await rotate(first, { overlapHours: 24 })).json.token ?? '';
  expect([await isValid(first), await isValid(second), await isValid(third)]).toEqual([false, true, true]);
});

test('whoever may not make a token like it cannot get its secret', async () => {
  const strong = await system.createToken({ scopes: ['devices:read', 'nettools:run', 'admin'], sites: '*' });
  const weak = await system.createToken({ scopes: ['devices:read', 'admin'], sites: '*' });
  const elsewhere = await system.createToken({ scopes: ['devices:read', 'admin'], sites: ['home'] });
  const plain = await system.createToken({ scopes: ['devices:read'] });
  expect((await rotate(strong, {}, weak)).status).toBe(404);
  expect((await rotate(weak, {}, elsewhere)).status).toBe(404);
  expect((await rotate(plain, {}, await system.createToken({ scopes: ['devices:read'] }))).status).toBe(404);
  expect((await rotate(plain, {}, plain)).status).toBe(200);
  // The first one stands in a file, or in the settings.
  expect((await rotate(system.token)).status).toBe(409);
  const somebody = await signedIn(system, 'ada', [{ role: 'admin', sites: '*' }]);
  expect((await rotate(somebody.token, {}, somebody.token)).status).toBe(409);
  expect((await rotate(somebody.token)).status).toBe(404);
});

test('a token cannot give itself a longer life, but who lives longer can', async () => {
  const token = await system.createToken({ scopes: ['devices:read'], sites: '*', expiresAt: end(3) });
  const self = await system.request('GET', '/tokens/self', { token });
  expect(self.json).toMatchObject({ expiresSoon: true });
  expect(self.headers.get('lanreach-token-expires')).toBe((self.json as { expiresAt: string }).expiresAt);
  expect((await rotate(token, { expiresAt: end(60) }, token)).status).toBe(400);
  const { json } = await rotate(token, { expiresAt: end(60) });
  const renewed = await system.request('GET', '/tokens/self', { token: json.token ?? '' });
  expect([renewed.json, renewed.headers.get('lanreach-token-expires')]).toMatchObject([{ expiresSoon: false }, null]);

  // Nor does anyone get one by the secret of another token.
  const short = await system.createToken({ sites: '*', expiresAt: end(3) });
  const endless = await system.createToken({ scopes: ['devices:read'] });
  const refused = await rotate(endless, undefined, short);
  expect([refused.status, await isValid(endless)]).toEqual([400, true]);
  expect((await rotate(endless, { expiresAt: end(4) }, short)).status).toBe(400);
  expect((await rotate(endless, { expiresAt: end(2) }, short)).status).toBe(200);
});

test('who is somebody gets no secret of a token that is nobody’s, which would stay when they are locked out', async () => {
  const { token: session } = await signedIn(system, 'leaver', [{ role: 'admin', sites: '*' }]);
  const unowned = await system.createToken({ scopes: ['devices:read'] });
  expect([(await rotate(unowned, { overlapHours: 168 }, session)).status, await isValid(unowned)]).toEqual([404, true]);
  const own = await system.createToken(READ, session);
  expect((await rotate(own, {}, session)).status).toBe(200);
});

test('the former secret of an overlap makes nothing that outlives it', async () => {
  const former = await system.createToken({ sites: '*' });
  const other = await system.createToken({ scopes: ['devices:read'] });
  const current = (await rotate(former, { overlapHours: 24 })).json.token ?? '';
  const { id } = await beginLogin();
  const tries = async (token: string) => [
    (await system.request('POST', '/tokens', { token, body: { ...READ, name: 'x' } })).status,
    (await approve(id, token, READ)).status,
    (await rotate(other, {}, token)).status,
    (await rotate(token, {}, token)).status,
  ];
  expect(await tries(former)).toEqual([409, 409, 409, 409]);
  expect([await isValid(former), await isValid(current)]).toEqual([true, true]);
  expect(await tries(current)).toEqual([201, 200, 200, 200]);
});

/** A client that requests access to the API, or to `/mcp` alone. */
async function beginLogin(resource = system.url) {
  const ask = async (path: string, init: RequestInit = {}) => system.service(new Request(system.url + path, init));
  const redirect_uri = 'http://127.0.0.1:49152/callback';
  const body = { client_name: 'laptop', redirect_uris: [redirect_uri] };
  const { json } = await system.request('POST', '/oauth/register', { token: null, body });
  const client = { client_id: (json as { client_id: string }).client_id, redirect_uri };
  const verifier = randomBytes(32).toString('base64url');
  const wanted = new URLSearchParams({
    ...{ ...client, response_type: 'code', resource },
    ...{ code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' },
  });
  const page = (await ask(`/oauth/authorize?${wanted}`)).headers.get('location') ?? '';
  const fetchToken = async (redirectTo: string) => {
    const code = new URL(redirectTo).searchParams.get('code') ?? '';
    const fields = { ...client, grant_type: 'authorization_code', code, code_verifier: verifier };
    const answer = await ask('/oauth/token', { method: 'POST', body: new URLSearchParams(fields) });
    return (await answer.json()) as { access_token: string; expires_in: number };
  };
  return { id: page.replace('../console/#/connect/', ''), fetchToken };
}

const approve = (id: string, token: string, body: object) =>
  system.request('POST', `/oauth/requests/${id}/approve`, { token, body });

/** The token of a command line that another token has approved. */
async function givenBy(token: string, body: object): Promise<string> {
  const { id, fetchToken } = await beginLogin();
  const { json } = await approve(id, token, body);
  return (await fetchToken((json as { redirectTo: string }).redirectTo)).access_token;
}

test('what a token of somebody has given ends with it, and not with the session', async () => {
  const { token: session } = await signedIn(system, 'victim', [{ role: 'admin', sites: '*' }]);
  const leaked = await system.createToken(READ, session);
  const [ofLeaked, ofSession] = [await givenBy(leaked, READ), await givenBy(session, READ)];
  expect([await isValid(ofLeaked), await isValid(ofSession)]).toEqual([true, true]);
  await system.request('DELETE', `/tokens/${idOf(leaked)}`, { token: session });
  await system.request('DELETE', '/tokens/self', { token: session });
  expect([await isValid(ofLeaked), await isValid(ofSession)]).toEqual([false, true]);
});

test('a token that was given hands on with whom it ends, and takes over no other', async () => {
  const giver = await system.createToken({ sites: '*' });
  const given = await givenBy(giver, { scopes: ['devices:read', 'admin'], sites: '*' });
  const child = await system.createToken(READ, given);
  const other = await system.createToken({ scopes: ['devices:read'], sites: '*' });
  const taken = await rotate(other, { expiresAt: end(1) }, given);
  expect([taken.status, await isValid(other), await isValid(child)]).toEqual([404, true, true]);
  await system.request('DELETE', `/tokens/${idOf(giver)}`);
  expect([await isValid(given), await isValid(child)]).toEqual([false, false]);
});

test('an assistant that somebody has agreed to outlives the session, and ends with the person', async () => {
  const { id, token: session } = await signedIn(system, 'grace', [{ role: 'operator', sites: ['home'] }]);
  const { id: asked, fetchToken } = await beginLogin(`${system.url}/mcp`);
  expect((await approve(asked, session, { scopes: ['devices:read'], sites: '*' })).status).toBe(403);
  const approved = await approve(asked, session, { scopes: ['devices:read', 'nettools:run'], sites: ['home'] });
  const { redirectTo } = approved.json as { redirectTo: string };
  const { access_token: token, expires_in: seconds } = await fetchToken(redirectTo);
  expect(seconds).toBeGreaterThan(29 * 86_400);
  const tools = async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { status, text } = await system.request('POST', '/mcp', { token, headers, body });
    return [status, text.includes('"name":"run_nmap"')];
  };
  expect(await tools()).toEqual([200, true]);
  await system.request('DELETE', '/tokens/self', { token: session });
  expect(await tools()).toEqual([200, true]);
  const viewer = { grants: [{ role: 'viewer' as const, sites: ['home'] }] };
  await system.context.people.change(id, (before) => before && { ...before, ...viewer });
  expect(await tools()).toEqual([200, false]);
  const { json } = await system.request('GET', '/audit', { site: 'home' });
  const entries = (json as { entries: { action: string; person: { name: string } | null }[] }).entries;
  for (const action of ['oauth.approve', 'token.create'])
    expect(entries.find((entry) => entry.action === action)?.person?.name).toBe('grace');
  await system.context.people.change(id, (before) => before && { ...before, isDisabled: true });
  expect((await tools())[0]).toBe(401);
});
