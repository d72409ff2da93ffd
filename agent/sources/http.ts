/**
 * The HTTP port of sources. The address of a name is checked against the policy, and then used as it is. The certificate is
 * checked before the first byte of a request is sent, because headers hold credentials.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { DAY_MS } from '../../shared/time.ts';
import { addressOf } from '../checks/address.ts';
import { NoAnswer, NotSent } from '../checks/finding.ts';
import { hostOf } from '../checks/http.ts';
import { attachment } from '../host/network.ts';
import type { TargetRules } from '../tools/target-policy.ts';
import { LOCKOUT_MS, SourceFailure, type SourceHttpAnswer, type SourceHttpRequest } from './source.ts';

export const MAX_BYTES = 8 * 1024 * 1024;
const MAX_REDIRECTS = 3;

/** The certificates of the products, by host and port, as SHA-256 of each. */
export type Pins = Map<string, string>;

export interface HttpOptions {
  rules: TargetRules;
  pins: Pins;
  /** Whether the first certificate of a product that no authority vouches for is pinned; otherwise it is refused. */
  mayPin: boolean;
  /** Why a request to an address must not be sent now; null when it may. */
  refuse?(address: string): string | null;
  /** Default: 10 s. */
  timeoutMs?: number;
}

/** @throws {SourceFailure} */
export async function sendHttp(request: SourceHttpRequest, options: HttpOptions, signal: AbortSignal) {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const late = AbortSignal.timeout(timeoutMs);
  let url = urlOf(String(request.url));
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await sendOnce({ ...request, url }, url, options, AbortSignal.any([signal, late]));
      if (answer.status === 429)
        throw new SourceFailure(`${url.host} limits requests (429)`, { waitMs: waitOf(answer) });
      const { location } = answer.headers;
      const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
      if (!isRedirect || request.redirects === false || (request.method ?? 'GET') !== 'GET') return answer;
      const target = URL.canParse(location, url.href) ? new URL(location, url) : null;
      if (target?.origin !== url.origin) {
        throw new SourceFailure(
          `${url.host} redirects to ${target?.origin ?? 'an invalid URL'}, which is not followed`,
        );
      }
      if (redirects >= MAX_REDIRECTS) throw new SourceFailure(`${url.host} redirects without end`);
      url = target;
    }
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    if (late.aborted) throw new SourceFailure(`${url.host} did not answer within ${timeoutMs / 1000} s`);
    if (signal.aborted) throw new SourceFailure('the reading was stopped');
    throw new SourceFailure(`${url.host}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new SourceFailure('expected an http:// or https:// URL');
  if (url.username !== '' || url.password !== '') throw new SourceFailure('expected a URL without a user and password');
  return url;
}

async function sendOnce(request: SourceHttpRequest, url: URL, options: HttpOptions, signal: AbortSignal) {
  const socket = await connect(url, await allowedAddress(url, options), options, signal);
  try {
    const { user, password } = request.basic ?? {};
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const sent = requestHttp({
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: {
        'user-agent': 'lanreach-agent',
        accept: '*/*',
        'accept-encoding': 'identity',
        connection: 'close',
        host: url.host,
        ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
        ...(request.basic === undefined ? {} : { authorization }),
        ...request.headers,
      },
      signal,
    });
    // As bytes: Node.js would encode the headers as the text, in UTF-8, though they are bytes as Latin-1.
    sent.end(request.body === undefined ? undefined : Buffer.from(request.body));
    return await answerTo(sent, url);
  } finally {
    socket.destroy();
  }
}

async function allowedAddress(url: URL, { rules, refuse }: HttpOptions): Promise<string> {
  try {
    const address = await addressOf(hostOf(url), rules, attachment(), undefined, 'sources');
    const refusal = refuse?.(address) ?? null;
    if (refusal !== null) throw new SourceFailure(refusal);
    return address;
  } catch (error) {
    if (error instanceof NotSent || error instanceof NoAnswer) throw new SourceFailure(error.message);
    throw error;
  }
}

async function connect(url: URL, address: string, options: HttpOptions, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const servername = isIP(hostOf(url)) === 0 ? hostOf(url) : '';
  const secure = isTls ? connectTls({ host: address, port, servername, rejectUnauthorized: false }) : null;
  const socket = secure ?? connectTcp({ host: address, port });
  const stop = () => socket.destroy(new Error('stopped'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      // Stays, because an error may follow. The request has its own listener.
      socket.on('error', reject).once('close', () => reject(new Error('the connection was closed')));
      socket.once(isTls ? 'secureConnect' : 'connect', () => resolve());
    });
    // An authority vouches for it, as for its host name.
    if (secure === null || secure.authorized) return socket;
    requirePinned(url, secure.getPeerCertificate().fingerprint256, options);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function requirePinned(url: URL, fingerprint: string | undefined, { pins, mayPin }: HttpOptions): void {
  if (!fingerprint) throw new SourceFailure(`${url.host} has no certificate`);
  const pinned = pins.get(url.host);
  if (pinned === fingerprint) return;
  if (pinned === undefined && mayPin) return void pins.set(url.host, fingerprint);
  const what = pinned === undefined ? 'has a certificate that no authority vouches for' : 'has another certificate';
  throw new SourceFailure(
    `${url.host} ${what}: SHA-256 ${fingerprint}. If it is right: lanreach-agent source test <name> --accept-certificate`,
  );
}

async function answerTo(request: ClientRequest, { host }: URL): Promise<SourceHttpAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject);
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('it speaks another protocol'));
    });
  });
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new SourceFailure(`the answer of ${host} is longer than 8 MiB`);
    pieces.push(piece);
  }
  // Ends without an error when the connection breaks in the middle.
  if (!response.complete) throw new Error('the answer broke off');
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    cookies: response.headers['set-cookie'] ?? [],
    body: Buffer.concat(pieces).toString('utf8'),
  };
}

/** As the product demands, at least LOCKOUT_MS, at most a day. */
function waitOf({ headers }: SourceHttpAnswer): number {
  const text = headers['retry-after'] ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Math.min(DAY_MS, Math.max(LOCKOUT_MS, Number.isFinite(ms) ? ms : 0));
}
