/** OAuth as clients use it: the official client of MCP, and requests by hand for what such a client never sends. */
import { fail } from 'node:assert';
import { hash, randomBytes } from 'node:crypto';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { rows } from '../../functions/table/rows.ts';
import type { Scope } from '../../shared/identity.ts';
import { SIGN_IN, signedIn } from '../support/signed-in.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ signIn: SIGN_IN });
afterEach(() => void vi.useRealTimers());

let clients = 0;
/** As `fetch`; each request comes from another address, unless it says from which. */
async function send(link: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', `10.1.${clients >> 8}.${clients++ & 255}`);
  return system.service(new Request(link, { ...init, headers }));
}

const REDIRECT = 'http://127.0.0.1:33418/callback';

/** An assistant on this host, whose "browser" only keeps where it was sent. */
class TestProvider implements OAuthClientProvider {
  redirectUrl = REDIRECT;
  clientMetadata = { client_name: 'Test assistant', redirect_uris: [REDIRECT] };
  sentTo: URL | undefined;
  kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; found?: OAuthDiscoveryState } = {};
  #verifier = '';

  state = () => 'state-of-the-assistant';
  clientInformation = () => this.kept.client;
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.kept.client = client;
  }
  tokens = () => this.kept.tokens;
  saveTokens(tokens: OAuthTokens) {
    this.kept.tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;
  saveDiscoveryState(found: OAuthDiscoveryState) {
    this.kept.found = found;
  }
  discoveryState = () => this.kept.found;
}

/** What a browser does with a link of a client. @returns the id of the request, which the console shows */
async function visit(link: string | URL): Promise<string> {
  const answer = await send(link);
  const page = new URL(answer.headers.get('location') ?? fail(await answer.text()), link);
  expect([answer.status, page.pathname.endsWith('/console/')]).toEqual([302, true]);
  return page.hash.replace('#/connect/', '');
}

interface Answered {
  status: number;
  redirectTo: string;
}

const READ_ALL = { scopes: ['devices:read'], sites: '*' };
async function approve(id: string, body: object = READ_ALL, token?: string): Promise<Answered> {
  const { status, json } = await system.request('POST', `/oauth/requests/${id}/approve`, { body, token });
  return { status, redirectTo: (json as Answered).redirectTo };
}

async function post(path: string, fields: Record<string, string>) {
  const answer = await send(system.url + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

async function register(metadata: object = new TestProvider().clientMetadata): Promise<string> {
  const { json } = await system.request('POST', '/oauth/register', { body: metadata, token: null });
  return (json as { client_id: string }).client_id;
}

/** A request by hand, with some of its parts changed. */
async function begin(changed: Record<string, string | undefined> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const clientId = changed.client_id ?? (await register());
  const wanted: Record<string, string | undefined> = {
    ...{ client_id: clientId, redirect_uri: REDIRECT, resource: `${system.url}/mcp` },
    ...{ response_type: 'code', state: 'xyz' },
    ...{ code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' },
    ...changed,
  };
  const link = new URL(`${system.url}/oauth/authorize`);
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) link.searchParams.set(name, value);
  return { link, verifier, clientId };
}

/** The whole way up to the code. */
async function codeFor(body?: object) {
  const { link, verifier, clientId } = await begin();
  const { redirectTo } = await approve(await visit(link), body);
  const code = new URL(redirectTo).searchParams.get('code') ?? fail();
  const client = { client_id: clientId, redirect_uri: REDIRECT, resource: `${system.url}/mcp` };
  const exchange = (changed: Record<string, string> = {}) =>
    post('/oauth/token', { grant_type: 'authorization_code', code, code_verifier: verifier, ...client, ...changed });
  return { code, exchange };
}

async function accessToken(body?: object): Promise<string> {
  const { json } = await (await codeFor(body)).exchange();
  return String(json.access_token);
}

/** Whether a token lists tools. */
async function toolsOf(token: string): Promise<number> {
  const headers = { accept: 'application/json, text/event-stream' };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  return (await system.request('POST', '/mcp', { token, headers, body })).status;
}

describe.each(['', '/prod'])('under the path prefix "%s"', (prefix) => {
  test('an assistant finds out, registers, asks, and calls a tool when a person has agreed', async () => {
    const provider = new TestProvider();
    const connect = () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const transport = new StreamableHTTPClientTransport(new URL(`${system.url}${prefix}/mcp`), {
        authProvider: provider,
        fetch: send,
      });
      return { client, transport, connected: client.connect(transport) };
    };
    const first = connect();
    await expect(first.connected).rejects.toThrow(UnauthorizedError);
    const id = await visit(provider.sentTo ?? fail());
    const shown = await system.request('GET', `/oauth/requests/${id}`);
    expect(shown.json).toMatchObject({
      kind: 'assistant',
      client: { name: 'Test assistant', redirectHost: '127.0.0.1' },
      scopes: ['devices:read', 'devices:write', 'nettools:run'],
      sourceAddress: expect.stringMatching(/^10\.1\./),
    });
    const { redirectTo } = await approve(id);
    const answer = new URL(redirectTo).searchParams;
    expect([redirectTo.startsWith(`${REDIRECT}?`), answer.get('state')]).toEqual([true, 'state-of-the-assistant']);
    expect(answer.get('iss')).toBe(`${system.url}${prefix}`);
    // An answer that another server has given, to which the client would send the code.
    const mixedUp = new URLSearchParams(answer);
    mixedUp.set('iss', 'https://evil.example');
    await expect(first.transport.finishAuth(mixedUp)).rejects.toThrow(/iss/i);
    await first.transport.finishAuth(answer);
    const second = connect();
    await second.connected;
    const { tools } = await second.client.listTools();
    const names = tools.map(({ name }) => name);
    expect([names.includes('list_devices'), names.includes('run_nmap')]).toEqual([true, false]);
    const { structuredContent } = await second.client.callTool({ name: 'list_sites', arguments: {} });
    expect(structuredContent).toMatchObject({ sites: [{ id: 'home' }] });
    await second.client.close();
    expect(provider.kept.tokens).toMatchObject({ token_type: 'Bearer', scope: 'devices:read' });
  });
});

test('the token of an assistant is for /mcp alone, ends in 30 days, and is named after it', async () => {
  const token = await accessToken({ scopes: ['devices:read'], sites: ['home'] });
  expect(await toolsOf(token)).toBe(200);
  for (const path of ['/devices', '/tokens/self', '/sites'])
    expect([path, (await system.request('GET', path, { token })).status]).toEqual([path, 403]);
  const { json } = await system.request('GET', '/tokens');
  const listed = (json as { tokens: Record<string, string>[] }).tokens.find(({ id }) => id === token.slice(3, 19));
  expect(listed).toMatchObject({
    name: 'Test assistant',
    purpose: 'mcp',
    scopes: ['devices:read'],
    sites: ['home'],
    defaultSite: 'home',
    createdBy: system.token.slice(3, 19),
    expiresSoon: false,
  });
  const days = (Date.parse(String(listed?.expiresAt)) - Date.now()) / 86_400_000;
  expect(days > 29.9 && days <= 30).toBe(true);
});

/** What is wrong with a request whose answer may go where it says. */
const MISTAKES: [string, Record<string, string | undefined>, string][] = [
  ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ['another path of ours as the resource', { resource: 'URL/devices' }, 'invalid_target'],
  ['no challenge', { code_challenge: undefined }, 'invalid_request'],
  ['the challenge in clear text', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no method, which would be plain', { code_challenge_method: undefined }, 'invalid_request'],
  ['no response type', { response_type: undefined }, 'invalid_request'],
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['only scopes that are not there', { scope: 'admin root' }, 'invalid_scope'],
  ['a state without end', { state: 'x'.repeat(2_000) }, 'invalid_request'],
];

async function beginWith(changed: Record<string, string | undefined>) {
  const real = Object.entries(changed).map(([name, value]) => [name, value?.replace('URL', system.url)]);
  return begin(Object.fromEntries(real));
}

test.each(MISTAKES)('a client that listens on loopback hears of its mistake: %s', async (_, changed, error) => {
  const { link } = await beginWith(changed);
  const answer = await send(link);
  const target = new URL(answer.headers.get('location') ?? fail(await answer.text()));
  expect([answer.status, `${target.origin}${target.pathname}`]).toEqual([302, REDIRECT]);
  const { error_description: why, ...said } = Object.fromEntries(target.searchParams);
  expect(said).toEqual({ error, state: link.searchParams.get('state'), iss: system.url });
  expect(why).toMatch(/[a-z]/);
});

const SITE = 'https://assistant.example/callback';

test.each<(typeof MISTAKES)[number]>([
  ['a foreign redirect', { redirect_uri: 'https://evil.example/callback' }, 'invalid_request'],
  ['a redirect to loopback that is not registered', { redirect_uri: 'http://127.0.0.1:1/other' }, 'invalid_request'],
  ['a redirect below the registered one', { redirect_uri: `${REDIRECT}/../evil` }, 'invalid_request'],
  ['a redirect with another query', { redirect_uri: `${REDIRECT}?next=evil` }, 'invalid_request'],
  ['a redirect with a user name', { redirect_uri: 'http://127.0.0.1:33418@evil.example/callback' }, 'invalid_request'],
  ['a client that nobody knows', { client_id: 'somebody' }, 'invalid_client'],
  ...MISTAKES.map(([what, changed, error]): (typeof MISTAKES)[number] => [
    `${what}, from a site`,
    { ...changed, redirect_uri: SITE },
    error,
  ]),
])('is refused on the spot, and leads nowhere: %s', async (_, changed, expected) => {
  const isOfSite = changed.redirect_uri === SITE;
  const client = isOfSite ? { client_id: await register({ client_name: 'a site', redirect_uris: [SITE] }) } : {};
  const { link } = await beginWith({ ...client, ...changed });
  const answer = await send(link);
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await answer.text()).toContain(`(${expected})`);
});

test('a parameter that occurs twice is refused', async () => {
  const { link } = await begin();
  link.searchParams.append('redirect_uri', 'https://evil.example/');
  expect((await send(link)).status).toBe(400);
});

test.each([
  [['https://claude.ai/api/mcp/auth_callback'], 201],
  [['http://localhost:1/callback', 'http://[::1]/callback', 'http://127.0.0.1/'], 201],
  [[], 400],
  [['http://evil.example/callback'], 400],
  [['https://user:word@evil.example/'], 400],
  [['https://evil.example/#fragment'], 400],
  [['javascript:alert(1)'], 400],
  [Array.from({ length: 9 }, (_, i) => `https://a.example/${i}`), 400],
  [Array.from({ length: 8 }, (_, i) => `https://a.example/${i}${'x'.repeat(300)}`), 400],
])('a client registers with %j: %i', async (uris, status) => {
  const body = { client_name: 'x', redirect_uris: uris };
  expect((await system.request('POST', '/oauth/register', { body, token: null })).status).toBe(status);
});

test.each([
  ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }, 'invalid_grant'],
  ['another redirect', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
  ['another client', { client_id: 'lrc_e30' }, 'invalid_grant'],
  ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ['another code', { code: `${'0'.repeat(32)}.${'A'.repeat(43)}` }, 'invalid_grant'],
  ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
])('a code is not exchanged with %s, and then still by its client', async (_, changed, error) => {
  const { exchange } = await codeFor();
  expect(await exchange(changed as Record<string, string>)).toMatchObject({ status: 400, json: { error } });
  expect((await exchange()).status).toBe(200);
});

test('a code that comes twice, also at once, revokes the token that it gave', async () => {
  const { exchange: again } = await codeFor();
  const token = String((await again()).json.access_token);
  expect(await toolsOf(token)).toBe(200);
  expect(await again()).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(await toolsOf(token)).toBe(401);
  const { exchange } = await codeFor();
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange()));
  const tokens = answers.flatMap(({ json }) => (typeof json.access_token === 'string' ? [json.access_token] : []));
  expect(tokens.length <= 1).toBe(true);
  for (const one of tokens) expect(await toolsOf(one)).toBe(401);
});

/** As if so much time had passed. */
async function expire(id: string) {
  await system.context.table.update(rows.accessRequest(id), { set: { until: Date.now() - 1 } });
}

test('a request that nobody has answered in time, and a code that nobody has fetched, are over', async () => {
  const old = await visit((await begin()).link);
  await expire(old);
  expect((await approve(old)).status).toBe(404);
  const { code, exchange } = await codeFor();
  const [id = ''] = code.split('.');
  const { until } = (await system.context.table.get(rows.accessRequest(id), { consistent: true })) ?? fail();
  expect(Number(until) - Date.now()).toBeLessThanOrEqual(60_000);
  await expire(id);
  expect(await exchange()).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('nobody gives more than they have, or than was asked', async () => {
  const limited = await system.createToken({ scopes: ['devices:read'], sites: ['home'] });
  const id = await visit((await begin()).link);
  const read = { scopes: ['devices:read'], sites: ['home'] };
  expect((await approve(id, { ...read, scopes: ['nettools:run'] }, limited)).status).toBe(400);
  expect((await approve(id, { ...read, sites: '*' }, limited)).status).toBe(403);
  expect((await approve(id, { ...read, sites: ['elsewhere'] }, limited)).status).toBe(403);
  expect((await approve(id, { ...read, scopes: ['admin'] })).status).toBe(400);
  expect((await approve(id, read, limited)).status).toBe(200);
  // Answered once.
  expect((await approve(id, read)).status).toBe(404);
});

test('strangers can leave so many requests, each address for itself, and guess so many codes', async () => {
  const { link } = await begin();
  vi.useFakeTimers({ toFake: ['performance'] }); // However slow the machine is, no attempt is given back.
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  for (let i = 0; i < 30; i++) expect((await send(link, from('198.51.100.1'))).status).toBe(302);
  const refused = await send(link, from('198.51.100.1'));
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await send(link, from('198.51.100.2'))).status).toBe(302);
  const guess = { grant_type: 'authorization_code', code: 'x', code_verifier: 'y', client_id: 'z' };
  const guessing = () => ({ method: 'POST', body: new URLSearchParams(guess), ...from('198.51.100.3') });
  const statuses: number[] = [];
  for (let i = 0; i < 70; i++) statuses.push((await send(`${system.url}/oauth/token`, guessing())).status);
  expect([statuses[0], statuses.includes(429)]).toEqual([400, true]);
});

test('a refusal goes back to the client', async () => {
  const id = await visit((await begin()).link);
  const { json } = await system.request('POST', `/oauth/requests/${id}/deny`);
  const answer = new URL((json as Answered).redirectTo).searchParams;
  expect(Object.fromEntries(answer)).toEqual({ error: 'access_denied', state: 'xyz', iss: system.url });
  expect((await system.request('GET', `/oauth/requests/${id}`)).status).toBe(404);
});

test('a token is given back by whoever has it, and only that one', async () => {
  const token = await accessToken();
  for (const [revoked, status] of [
    [`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, 200],
    [token, 401],
  ] as const) {
    expect((await post('/oauth/revoke', { token: revoked })).status).toBe(200);
    expect(await toolsOf(token)).toBe(status);
  }
  // The first token of an installation stays: nobody could make another.
  expect((await post('/oauth/revoke', { token: system.token })).status).toBe(400);
});

test('what /mcp says without a token leads to the metadata, and a wrong token is named', async () => {
  const ask = async (headers: Record<string, string>, path = '') =>
    (await send(`${system.url}/prod/mcp${path}`, { method: 'POST', headers })).headers.get('www-authenticate');
  const bare = `resource_metadata="${system.url}/prod/.well-known/oauth-protected-resource/mcp", scope="devices:read devices:write nettools:run"`;
  expect(await ask({})).toBe(`Bearer ${bare}`);
  const wrong = { authorization: 'Bearer lr_0123456789abcdef.wrong' };
  for (const path of ['', '/sse']) expect(await ask(wrong, path)).toBe(`Bearer error="invalid_token", ${bare}`);
  const { json } = await system.request('GET', '/prod/.well-known/oauth-protected-resource/mcp', { token: null });
  expect(json).toMatchObject({ resource: `${system.url}/prod/mcp`, authorization_servers: [`${system.url}/prod`] });
});

describe('a command line', () => {
  /** What `lanreach login` asks for: the whole API, with the answer to a free port of its host. */
  async function beginLogin() {
    const redirect_uri = 'http://127.0.0.1:49152/callback';
    const client_id = await register({ client_name: 'lanreach on laptop', redirect_uris: [redirect_uri] });
    const { link, verifier } = await begin({ client_id, redirect_uri, resource: system.url });
    const id = await visit(link);
    const fetchToken = (redirectTo: string, changed: Record<string, string> = {}) =>
      post('/oauth/token', {
        ...{ grant_type: 'authorization_code', code: new URL(redirectTo).searchParams.get('code') ?? fail() },
        ...{ code_verifier: verifier, client_id, redirect_uri, ...changed },
      });
    return { id, fetchToken };
  }

  test('gets a token for the API when a person has agreed', async () => {
    const { id, fetchToken } = await beginLogin();
    expect((await system.request('GET', `/oauth/requests/${id}`)).json).toMatchObject({
      kind: 'device',
      client: { name: 'lanreach on laptop', redirectHost: '127.0.0.1' },
      scopes: expect.arrayContaining(['admin']),
    });
    const { redirectTo } = await approve(id, { scopes: ['devices:read', 'admin'], sites: '*' });
    const other = await fetchToken(redirectTo, { resource: `${system.url}/mcp` });
    expect(other).toMatchObject({ status: 400, json: { error: 'invalid_target' } });
    const given = await fetchToken(redirectTo, { resource: system.url });
    expect(given).toMatchObject({ status: 200, json: { token_type: 'Bearer', scope: 'devices:read admin' } });
    const self = await system.request('GET', '/tokens/self', { token: String(given.json.access_token) });
    expect(self.json).toMatchObject({ name: 'lanreach on laptop', purpose: 'api', sites: '*', defaultSite: 'home' });
  });

  test('is on the host of the person: what leads elsewhere gets no token for the API', async () => {
    const redirect_uri = 'https://evil.example/callback';
    const client_id = await register({ client_name: 'lanreach on laptop', redirect_uris: [REDIRECT, redirect_uri] });
    for (const resource of [system.url, `${system.url}/`]) {
      const answer = await send((await begin({ client_id, redirect_uri, resource })).link);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('(invalid_target)')]);
    }
  });

  test('gets of somebody with several roles each scope only where a role has it', async () => {
    const site = await system.addSite();
    const { token } = await signedIn(system, 'mixed', [
      { role: 'viewer', sites: '*' },
      { role: 'admin', sites: [site] },
    ]);
    const { id, fetchToken } = await beginLogin();
    const agree = (scopes: Scope[], sites: '*' | string[]) => approve(id, { scopes, sites }, token);
    expect((await agree(['devices:read', 'admin'], '*')).status).toBe(403);
    expect((await agree(['devices:read', 'admin'], ['home', site])).status).toBe(403);
    const { status, redirectTo } = await agree(['devices:read', 'admin'], [site]);
    expect([status, (await fetchToken(redirectTo)).json.scope]).toEqual([200, 'devices:read admin']);
    const other = await beginLogin();
    expect((await approve(other.id, { scopes: ['devices:read'], sites: '*' }, token)).status).toBe(200);
  });
});
