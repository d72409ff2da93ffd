/** HTTP as the API speaks it: the token, deadlines, refusals and streams, for Node.js and browsers. It knows no operation. */
import { createParser } from 'eventsource-parser';
import { codeOf } from '../shared/errno.ts';
import type { ErrorBody } from '../shared/errors.ts';
import { parseJson } from '../shared/json.ts';
import { ApiError, ConnectionError, UnexpectedAnswerError } from './errors.ts';

/** Where the API is, and what the caller proves itself by. */
export interface Access {
  /** Without a trailing slash; it may have a path. */
  url: string;
  token: string;
  /** Called with the headers of each answer. */
  onAnswer?(headers: Headers): void;
  /** In place of the platform's `fetch`. */
  fetch?(url: URL, init: RequestInit): Promise<Response>;
}

export interface Outgoing {
  method: string;
  path: string;
  query?: object | undefined;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  form?: FormData | undefined;
  signal?: AbortSignal | undefined;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

export interface StreamedEvent {
  event: string;
  /** Undefined for an event at which a stream cannot resume. */
  id: string | undefined;
  /** In how many milliseconds a reader should come back when the stream has ended, where the API says so with this event. */
  retryMs?: number | undefined;
  data: unknown;
}

/** The answer must be complete by then. */
const TIMEOUT_MS = 30_000;
/** A stream of events sends a sign of life every 15 s: one that is silent for longer than this is broken. */
const SILENCE_MS = 45_000;

/** @throws {ApiError | ConnectionError | UnexpectedAnswerError} */
export async function exchange(access: Access, outgoing: Outgoing, timeoutMs = TIMEOUT_MS): Promise<Received> {
  const limit = AbortSignal.timeout(timeoutMs);
  let received: Received;
  try {
    const response = await send(access, outgoing, limit);
    received = { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    outgoing.signal?.throwIfAborted();
    throw connectionError(error, access.url, timeoutMs);
  }
  if (received.status >= 400) throw refusal(received, access.url);
  return received;
}

/** The text of an answer as it arrives: see `bytesOf`. */
export async function* piecesOf(...answer: Parameters<typeof bytesOf>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(...answer)) yield decoder.decode(bytes, { stream: true });
}

/** An answer as it arrives. @param isExpected whether this is the answer, and not something in its place */
export async function* bytesOf(
  access: Access,
  outgoing: Outgoing,
  isExpected: (mediaType: string) => boolean,
  silenceMs: number,
): AsyncGenerator<Uint8Array> {
  const broken = new AbortController();
  const breakOff = () => broken.abort(new DOMException('silent', 'TimeoutError'));
  let silence = setTimeout(breakOff, silenceMs);
  try {
    const response = await send(access, outgoing, broken.signal);
    const { status, headers } = response;
    if (status >= 400) throw refusal({ status, headers, text: await response.text() }, access.url);
    if (!isExpected(headers.get('content-type')?.split(';')[0] ?? '')) throw unexpected(response, access.url);
    const reader = response.body?.getReader();
    for (;;) {
      const { value, done = true } = (await reader?.read()) ?? {};
      if (done || value === undefined) return;
      clearTimeout(silence);
      yield value;
      silence = setTimeout(breakOff, silenceMs); // The reader may take its time.
    }
  } catch (error) {
    outgoing.signal?.throwIfAborted();
    if (error instanceof ApiError || error instanceof UnexpectedAnswerError) throw error;
    throw connectionError(error, access.url, silenceMs);
  } finally {
    clearTimeout(silence);
    broken.abort(); // A caller that stops reading closes the connection.
  }
}

/**
 * The events of a stream until the API ends it.
 * @param lastEventId where to go on; empty: with what is new
 * @throws {ApiError} also for the event `error`, with which the API ends a stream that has failed
 */
export async function* eventsOf(access: Access, outgoing: Outgoing, lastEventId = ''): AsyncGenerator<StreamedEvent> {
  const arrived: { event: string | undefined; id: string | undefined; data: string; retryMs: number | undefined }[] =
    [];
  let retryMs: number | undefined;
  const parser = createParser({
    onRetry(ms) {
      retryMs = ms;
    },
    onEvent({ event, id, data }) {
      arrived.push({ event, id, data, retryMs });
      retryMs = undefined;
    },
  });
  const headers = {
    ...outgoing.headers,
    accept: 'text/event-stream',
    ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
  };
  const pieces = piecesOf(access, { ...outgoing, headers }, (type) => type === 'text/event-stream', SILENCE_MS);
  for await (const piece of pieces) {
    parser.feed(piece);
    for (const { event = 'message', id, data, ...retry } of arrived.splice(0)) {
      const parsed = parseJson(data);
      if (event === 'error') throw streamError(parsed, access.url);
      yield { event, id, ...retry, data: parsed };
    }
  }
}

/** @param end breaks the exchange off, as the caller's own signal does */
async function send(access: Access, outgoing: Outgoing, end: AbortSignal): Promise<Response> {
  const { url, token, onAnswer, fetch: open = fetch } = access;
  const { method, path, query = {}, headers, body, form, signal } = outgoing;
  const target = new URL(`${url}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  const content = form ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await open(target, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    redirect: 'error', // The token must only be sent to the host that it belongs to.
    cache: 'no-store', // Nothing of a LAN stays on the disk of a browser.
    signal: signal === undefined ? end : AbortSignal.any([end, signal]),
    ...(content === undefined ? {} : { body: content }),
  });
  onAnswer?.(response.headers);
  return response;
}

function refusal(received: Received, url: string): ApiError | UnexpectedAnswerError {
  const body = parseJson(received.text) as Partial<ErrorBody> | null;
  if (typeof body?.message !== 'string' || typeof body.code !== 'string') return unexpected(received, url);
  const { message, code, requestId = '', errors: fields = [], errorsOmitted: fieldsOmitted = 0 } = body;
  const { skipped = [], skipped_count: skippedCount = 0 } = body;
  const { status, headers } = received;
  const retryAfterS = retryAfterOf(headers);
  return new ApiError(message, { status, code, fields, fieldsOmitted, requestId, skipped, skippedCount, retryAfterS });
}

/** The response does not come from the API but from something in front of it or in its place. */
export function unexpected({ status, headers }: Omit<Received, 'text'>, url: string): UnexpectedAnswerError {
  const text = `${url} answered with status ${status}, and not as the API does; is this the URL of the API?`;
  return new UnexpectedAnswerError(text, status, retryAfterOf(headers));
}

/** The last event of a stream that has failed. */
function streamError(data: unknown, url: string): ApiError | UnexpectedAnswerError {
  const error = data as Partial<ErrorBody> | null;
  if (typeof error?.message !== 'string' || typeof error.code !== 'string') {
    return unexpected({ status: 200, headers: new Headers() }, url);
  }
  return new ApiError(error.message, { status: null, code: error.code, requestId: error.requestId ?? '' });
}

/** What a failed `fetch` means. @param timeoutMs the deadline that it had */
export function connectionError(error: unknown, url: string, timeoutMs: number): ConnectionError {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') {
    const text = `${url} has not answered within ${timeoutMs / 1000} s`;
    return new ConnectionError(text, { url, code: 'TIMEOUT', cause: error });
  }
  // Under Node.js, fetch() only says "fetch failed"; the reason is in the cause.
  const code = codeOf(cause);
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  const text = `Cannot reach ${url}: ${code && !reason.includes(code) ? `${code} ` : ''}${reason}`;
  return new ConnectionError(text, { url, code, cause: error });
}

/** Seconds from now, of the header Retry-After (RFC 9110 section 10.2.3); null when there is none that can be read. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
