/** Gets a token from the person who sits at a browser, anywhere: the device flow of OAuth (RFC 8628). */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionError } from '../../client/transport.ts';
import { parseJson } from '../../shared/json.ts';
import { startOf } from '../../shared/text.ts';
import { Failure } from './failure.ts';

const TIMEOUT_MS = 30_000;
/** A service that asks for another pace than this is not believed. */
const WAIT_S = { least: 1, most: 60 };
const LONGEST_S = 3_600;

export interface Shown {
  /** What the person compares, or types. */
  code: string;
  /** Where it is typed, and where it stands already. */
  page: string;
  link: string;
}

/**
 * @param url of the service
 * @param name what the person is shown
 * @param show told once what the person has to do
 * @throws {Failure} when the person refuses, or does not answer in time
 */
export async function tokenByDevice(url: string, name: string, show: (shown: Shown) => void): Promise<string> {
  const registered = await post(url, 'register', JSON.stringify({ client_name: name, redirect_uris: [] }));
  const clientId = textOf(registered, 'client_id', url);
  const begun = await post(url, 'device', new URLSearchParams({ client_id: clientId }));
  const code = textOf(begun, 'user_code', url);
  const page = textOf(begun, 'verification_uri', url);
  show({
    code,
    page,
    link: typeof begun.verification_uri_complete === 'string' ? begun.verification_uri_complete : page,
  });
  const fields = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: textOf(begun, 'device_code', url),
    client_id: clientId,
  };
  let waitS = within(begun.interval, WAIT_S);
  const giveUpAt = Date.now() + within(begun.expires_in, { least: 1, most: LONGEST_S }) * 1000;
  while (Date.now() < giveUpAt) {
    await sleep(waitS * 1000);
    const answer = await post(url, 'token', new URLSearchParams(fields));
    if (typeof answer.access_token === 'string') return answer.access_token;
    if (answer.error === 'slow_down') waitS = within(waitS + 5, WAIT_S);
    else if (answer.error === 'access_denied') throw new Failure('auth', 'This was refused in the browser.');
    else if (answer.error !== 'authorization_pending') break;
  }
  throw new Failure('auth', 'Nobody has agreed to this in time. Begin again with: lanreach login');
}

/** Gives a token back, so that nobody can use it any more. @returns whether the service has taken it */
export async function giveBack(url: string, token: string): Promise<boolean> {
  const answer = await post(url, 'revoke', new URLSearchParams({ token })).catch(() => null);
  return answer !== null && answer.error === undefined;
}

/** The answer, which may be a refusal in the words of OAuth. */
async function post(url: string, endpoint: string, body: string | URLSearchParams): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/oauth/${endpoint}`, {
    method: 'POST',
    body,
    ...(typeof body === 'string' ? { headers: { 'content-type': 'application/json' } } : {}),
    redirect: 'error', // Codes must only be sent to the host that they belong to.
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw connectionError(error, url, TIMEOUT_MS);
  });
  const text = await response.text().catch((error: unknown) => {
    throw connectionError(error, url, TIMEOUT_MS);
  });
  const answer = parseJson(text) as Record<string, unknown> | null;
  if (response.status === 429 && typeof answer?.message === 'string') throw new Failure('failure', answer.message);
  if (response.ok || typeof answer?.error === 'string') return answer ?? {};
  throw notAsExpected(url);
}

function textOf(answer: Record<string, unknown>, name: string, url: string): string {
  const value = answer[name];
  if (typeof value !== 'string') throw notAsExpected(url);
  return startOf(value, 4_000);
}

function within(value: unknown, { least, most }: { least: number; most: number }): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, least), most) : least;
}

function notAsExpected(url: string): Failure {
  const hint = 'With a token from its console: lanreach login --with-token';
  return new Failure('failure', `${url} does not give tokens by a code: is this the URL of the API? ${hint}`);
}
