/** Gets a token from the person at the browser of this host: the code flow of OAuth, for programs (RFC 8252). */
import { hash, randomBytes } from 'node:crypto';
import { connectionError } from '../../client/transport.ts';
import { parseJson } from '../../shared/json.ts';
import { startOf } from '../../shared/text.ts';
import { Failure } from './failure.ts';
import { listenForRedirect } from './redirect-listener.ts';

const TIMEOUT_MS = 30_000;

type Answer = Readonly<Record<string, unknown>>;

/**
 * @param url of the service
 * @param name what the person is shown
 * @param show called once with the page at which the person agrees
 * @throws {Failure} when the person refuses, or does not answer in time
 */
export async function tokenByBrowser(url: string, name: string, show: (page: string) => void): Promise<string> {
  const service = await requestJson(url, '/.well-known/oauth-authorization-server');
  const issuer = textOf(service, 'issuer', url);
  const page = pageOf(service, url);
  const [state, verifier] = [secret(), secret()];
  const listener = await listenForRedirect(state);
  try {
    const metadata = JSON.stringify({ client_name: name, redirect_uris: [listener.uri] });
    const clientId = textOf(await requestJson(url, '/oauth/register', metadata), 'client_id', url);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: listener.uri,
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      // The whole API, and not the endpoint for assistants alone (RFC 8707).
      resource: issuer,
      state,
    };
    for (const [field, value] of Object.entries(parameters)) page.searchParams.set(field, value);
    show(page.href);
    const answer = await listener.answer;
    requireIssuer(answer.get('iss'), service);
    if (answer.get('error') === 'access_denied') throw new Failure('auth', 'This was refused in the browser.');
    const exchange = {
      grant_type: 'authorization_code',
      code: answer.get('code') ?? '',
      code_verifier: verifier,
      client_id: clientId,
      redirect_uri: listener.uri,
    };
    const given = await requestJson(url, '/oauth/token', new URLSearchParams(exchange));
    if (typeof given.access_token === 'string') return given.access_token;
    throw new Failure(
      'auth',
      'The service gives no token for the answer of the browser. Begin again with: lanreach login',
    );
  } finally {
    listener.close();
  }
}

/** Revokes a token at the service. @returns whether the service has revoked it */
export async function giveBack(url: string, token: string): Promise<boolean> {
  const answer = await requestJson(url, '/oauth/revoke', new URLSearchParams({ token })).catch(() => null);
  return answer !== null && answer.error === undefined;
}

/** The code is sent to no other service than the one that has given it (RFC 9207). */
function requireIssuer(issuer: string | null, service: Answer): void {
  const isSent = service.authorization_response_iss_parameter_supported === true;
  if (issuer === null ? !isSent : issuer === service.issuer) return;
  throw new Failure('auth', 'The answer of the browser is that of another service. Nothing was kept');
}

/** What a service answers is not passed to a browser unless it can be nothing but a page. */
function pageOf(service: Answer, url: string): URL {
  const text = textOf(service, 'authorization_endpoint', url);
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw notAsExpected(url);
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** The answer, which may be a refusal in the words of OAuth. @param body what is posted */
async function requestJson(url: string, path: string, body?: string | URLSearchParams): Promise<Answer> {
  const response = await fetch(url + path, {
    ...(body === undefined ? {} : { method: 'POST', body }),
    ...(typeof body === 'string' ? { headers: { 'content-type': 'application/json' } } : {}),
    redirect: 'error', // Codes must only be sent to the host that they belong to.
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw connectionError(error, url, TIMEOUT_MS);
  });
  const text = await response.text().catch((error: unknown) => {
    throw connectionError(error, url, TIMEOUT_MS);
  });
  const answer = parseJson(text) as Answer | null;
  if (response.status === 429 && typeof answer?.message === 'string') throw new Failure('failure', answer.message);
  if (response.ok || typeof answer?.error === 'string') return answer ?? {};
  throw notAsExpected(url);
}

function textOf(answer: Answer, name: string, url: string): string {
  const value = answer[name];
  if (typeof value !== 'string') throw notAsExpected(url);
  return startOf(value, 4_000);
}

function notAsExpected(url: string): Failure {
  const hint = 'With a token from its console: lanreach login --with-token';
  return new Failure('failure', `${url} does not give tokens by a browser: is this the URL of the API? ${hint}`);
}
