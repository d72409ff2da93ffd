/** One HTTP request to the receiver of a hook. Not `fetch`, which resolves names again after they have been checked. */
import { lookup } from 'node:dns/promises';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { deadline } from '../../shared/async.ts';
import { codeOf } from '../../shared/errno.ts';
import type { AllowPrivate } from '../http/context.ts';
import type { HookRequest } from './message.ts';
import { retryAfterMs } from './retry-schedule.ts';
import { mayGoInClear, refusalOf } from './target-address.ts';

export interface SendSettings {
  /** Which private addresses are allowed, also with http://: on one machine those of the LAN, unless configured otherwise. */
  allowPrivate: AllowPrivate;
  resolve(name: string): Promise<string[]>;
  now(): Date;
  /** For the whole request. */
  timeoutMs: number;
  /** Aborting it ends the request; then `send` rejects, because the result is unknown. */
  signal?: AbortSignal;
}

export type SendOutcome =
  | { isDelivered: true; status: number }
  | {
      isDelivered: false;
      status: number | null;
      reason: string;
      retryAfterMs: number | null;
      /** Whether a further attempt cannot succeed, or would repeat what has been delivered. */
      isFinal?: boolean;
    };

/** A 307 or 308 would redirect the body to another receiver, and a 303 would make us fetch something. */
const isRedirect = (status: number) => status >= 300 && status < 400;

export async function systemResolver(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** No reason contains the URL, which is a secret. The response body is not read. */
export async function send(url: string, message: HookRequest, settings: SendSettings): Promise<SendOutcome> {
  const late = AbortSignal.timeout(settings.timeoutMs);
  const { signal } = settings;
  const failed = (reason: string) => ({ isDelivered: false as const, status: null, reason, retryAfterMs: null });
  try {
    const target = new URL(url);
    const isClear = target.protocol !== 'https:';
    if (isClear && !settings.allowPrivate) return failed('its URL must begin with https://');
    const checked = await addressesOf(target.hostname, settings);
    if (typeof checked === 'string') return failed(checked);
    if (isClear && !checked.every((address) => mayGoInClear(address, settings)))
      return failed('its URL must begin with https://: its host is not on the LAN');
    const { status, retryAfter } = await post(
      target,
      message,
      checked,
      signal ? AbortSignal.any([late, signal]) : late,
    );
    const { reason: meaning, isFinal = false } = message.failures?.[status] ?? {};
    if (meaning !== undefined) return { ...failed(meaning), status, isFinal };
    if (status >= 200 && status < 300) return { isDelivered: true, status };
    const reason = isRedirect(status)
      ? `it answered ${status}: redirects are not followed, give the final URL`
      : `it answered ${status}`;
    return { isDelivered: false, status, reason, retryAfterMs: retryAfterMs(retryAfter, settings.now()) };
  } catch (error) {
    if (signal?.aborted) throw error;
    if (late.aborted) return failed(`no answer within ${settings.timeoutMs / 1000} s`);
    return failed(`no connection: ${codeOf(error) || 'unknown error'}`);
  }
}

/** The addresses of a host, if a hook may connect to all of them; else the problem. */
async function addressesOf(hostname: string, settings: SendSettings): Promise<string[] | string> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const isLiteral = isIP(literal) !== 0;
  const found = isLiteral
    ? [literal]
    : await deadline(settings.resolve(hostname), settings.timeoutMs, () => null).catch(() => []);
  if (found === null) return 'the name of its host was not resolved in time';
  if (found.length === 0) return 'the name of its host is not known';
  for (const address of found) {
    const refusal = refusalOf(address, settings);
    if (refusal !== null) return `its host is ${isLiteral ? '' : 'at '}${address}, which is ${refusal}: not allowed`;
  }
  return found;
}

/** Connects to one of the checked addresses, even if the name resolves to others by now. */
function post(
  url: URL,
  { headers, body }: HookRequest,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<{ status: number; retryAfter: string | undefined }> {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  const useChecked: LookupFunction = (_, options, callback) => {
    const [first] = answers;
    // In a later tick, like a resolver: an address without a route fails at once, and before this call has returned the
    // socket has no error listener. The error would end the process.
    setImmediate(() => {
      if (options.all) callback(null, answers);
      else callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
  const options: RequestOptions = {
    method: 'POST',
    headers: { 'user-agent': 'LanReach', 'content-length': Buffer.byteLength(body), ...headers },
    agent: false, // A kept-alive connection was checked at another time.
    lookup: useChecked,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}
