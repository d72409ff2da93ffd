/** Checks a web server. Its certificate need not be trusted, as those of devices seldom are; its expiry is reported. */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Probe } from '../../shared/agent/plan.ts';
import { answered, type Finding, NoAnswer, NotSent, unanswered } from './finding.ts';
import { networkFault } from './tcp.ts';

const WITHIN_MS = 15_000;
/** The part of an answer that is searched for the text. */
const MAX_TEXT_BYTES = 256 * 1024;

const HEADERS = { 'user-agent': 'lanreach-agent', accept: '*/*', 'accept-encoding': 'identity', connection: 'close' };

type HttpProbe = Omit<Extract<Probe, { kind: 'http' }>, 'kind'>;

/** @throws {NotSent} for anything but an HTTP URL */
export function webUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new NotSent('expected a URL of the web');
  return url;
}

/** The host of a URL, without the brackets around an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Sends one request, and follows no redirect: its status counts like any other.
 * @param address of the host of the URL, a literal that the policy allows: the request goes there, whatever DNS returns
 */
export async function http(probe: HttpProbe, address: string, signal: AbortSignal): Promise<Finding> {
  const limit = AbortSignal.timeout(WITHIN_MS);
  let certificateEndsAt: number | undefined;
  const withCertificate = (finding: Finding) =>
    certificateEndsAt === undefined ? finding : { ...finding, certificateEndsAt };
  try {
    const request = open(webUrl(probe.url), address, AbortSignal.any([signal, limit]));
    const startedAt = performance.now(); // Node.js connects in the next tick: its preparation is no latency.
    request.on('socket', (socket) => {
      if (socket instanceof TLSSocket) socket.once('secureConnect', () => (certificateEndsAt = endOf(socket)));
    });
    const { response, at } = await responseTo(request);
    const rttMs = at - startedAt;
    const { statusCode: status = 0 } = response;
    try {
      if (!isAmong(status, probe.status)) return withCertificate(unanswered({ code: 'status', values: { status } }));
      if (probe.text !== undefined && !(await contains(response, probe.text))) {
        return withCertificate(unanswered({ code: 'text-missing' }));
      }
      return withCertificate(answered(rttMs));
    } finally {
      request.destroy();
    }
  } catch (error) {
    if (error instanceof NotSent || !(error instanceof Error)) throw error;
    if (limit.aborted) {
      return withCertificate(unanswered({ code: 'no-whole-answer-within', values: { seconds: WITHIN_MS / 1000 } }));
    }
    return withCertificate(unanswered(error instanceof NoAnswer ? error.reason : networkFault(error)));
  }
}

function open(url: URL, address: string, signal: AbortSignal): ClientRequest {
  const isTls = url.protocol === 'https:';
  return (isTls ? requestHttps : requestHttp)({
    protocol: url.protocol,
    // Not the name, which would be resolved again. The server receives the name in SNI and in `host`.
    host: address,
    servername: isIP(hostOf(url)) === 0 ? hostOf(url) : '',
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    // A new connection for each run: a persistent one would hide that the server accepts no others.
    agent: false,
    headers: { ...HEADERS, host: url.host },
    rejectUnauthorized: false,
    signal,
  }).end();
}

function responseTo(request: ClientRequest): Promise<{ response: IncomingMessage; at: number }> {
  return new Promise((resolve, reject) => {
    request.once('response', (response) => resolve({ response, at: performance.now() }));
    // Not `once`: an error may follow the response.
    request.on('error', reject);
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new NoAnswer({ code: 'other-protocol' }));
    });
  });
}

function endOf(socket: TLSSocket): number | undefined {
  const end = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return Number.isFinite(end) && end > 0 ? end : undefined;
}

/** @param list such as `200-399,401` */
function isAmong(status: number, list: string): boolean {
  return list.split(',').some((part) => {
    const [first = '', last = first] = part.split('-');
    return status >= Number(first) && status <= Number(last);
  });
}

async function contains(response: IncomingMessage, text: string): Promise<boolean> {
  const wanted = Buffer.from(text);
  let bytes = 0;
  // The end of the previous piece: the text may span two.
  let end: Buffer = Buffer.alloc(0);
  for await (const piece of response) {
    const within: Buffer = piece.subarray(0, MAX_TEXT_BYTES - bytes);
    bytes += within.length;
    const searched = Buffer.concat([end, within]);
    if (searched.includes(wanted)) return true;
    if (bytes >= MAX_TEXT_BYTES) return false;
    end = searched.subarray(Math.max(0, searched.length - wanted.length + 1));
  }
  return false;
}
