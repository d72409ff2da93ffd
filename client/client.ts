/** The HTTP client of the API, typed by its operations. It needs nothing but `fetch`. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type * as z from 'zod';
import { Job } from '../shared/api/jobs.ts';
import type { Operation, Output } from '../shared/api/operation.ts';
import { codeOf } from '../shared/errno.ts';
import { ErrorBody, StreamError } from '../shared/errors.ts';
import { parseJson } from '../shared/json.ts';
import { ApiError, ConnectionError, InvalidInputError, UnexpectedAnswerError } from './errors.ts';

/** Where the API is, and what the caller proves itself by. */
export interface Access {
  /** Without a trailing slash; it may have a path. */
  url: string;
  token: string;
}

/** The content of a request. */
export interface Question<Op extends Operation> {
  params?: Part<Op['params']>;
  query?: Part<Op['query']>;
  body?: Part<Op['body']>;
  /** For an operation that takes a file. */
  file?: Blob;
  /** For an operation about one site; without it the token's default site is used. */
  site?: string | undefined;
  /** The answer must be complete by then. Default: 30 s. A stream has no such limit. */
  timeoutMs?: number;
  /** Ends the request, or the reading of a stream; what it throws is the reason of the signal. */
  signal?: AbortSignal;
}

type Part<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

export interface Client {
  readonly url: string;
  /**
   * The response of the API, including fields that this version does not know. Like all methods it throws an
   * `ApiError` when the API refuses the request, a `ConnectionError` when it cannot be reached, an
   * `UnexpectedAnswerError` when something else has answered, and an `InvalidInputError` for a parameter that would
   * change the path.
   */
  ask<Op extends Operation>(operation: Op, question?: Question<Op>): Promise<Output<Op>>;
  /** Like `ask`, for a command on a site: if it takes longer than one request, the answer is a job. */
  run<Op extends Operation>(operation: Op, question?: Question<Op>): Promise<{ answer: Output<Op> } | { job: Job }>;
  /** Like `ask`, for an answer that is not JSON. */
  fetchText<Op extends Operation>(operation: Op, question?: Question<Op>): Promise<string>;
  /**
   * The text of a file in pieces, as they arrive, for one that is too large to be held. A file that the API breaks off,
   * or of which nothing comes for 45 s, ends with a `ConnectionError`.
   */
  download<Op extends Operation>(operation: Op, question?: Question<Op>): AsyncGenerator<string>;
  /**
   * The events of a stream, until the API ends it. A stream that falls silent for 45 s is a `ConnectionError`, one that
   * ends with an error an `ApiError`.
   * @param lastEventId where to go on; empty: with what is new
   */
  follow<Op extends Operation>(
    operation: Op,
    lastEventId: string,
    question?: Question<Op>,
  ): AsyncGenerator<StreamedEvent>;
}

export interface StreamedEvent {
  event: string;
  /** Undefined for an event that nobody can go on behind. */
  id: string | undefined;
  /** In how many milliseconds a reader should come back when the stream has ended, where the API says so with this event. */
  retryMs?: number | undefined;
  data: unknown;
}

const TIMEOUT_MS = 30_000;

export function openClient({ url, token }: Access): Client {
  function targetOf<Op extends Operation>(operation: Op, { params, query, site }: Question<Op>): URL {
    const target = new URL(`${url}${pathOf(operation, params)}`);
    for (const [name, value] of Object.entries({ ...query, site })) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    return target;
  }

  function requestOf<Op extends Operation>(operation: Op, { body, file, signal }: Question<Op>): RequestInit {
    const headers = new Headers({ authorization: `Bearer ${token}` });
    if (body !== undefined) headers.set('content-type', 'application/json');
    const content = file === undefined ? JSON.stringify(body) : formWith(operation.upload ?? '', file);
    // No redirects, because the token must only be sent to the host that it belongs to.
    return {
      method: operation.method,
      headers,
      redirect: 'error',
      ...(content === undefined ? {} : { body: content }),
      ...(signal === undefined ? {} : { signal }),
    };
  }

  async function send<Op extends Operation>(operation: Op, question: Question<Op>): Promise<Received> {
    const { timeoutMs = TIMEOUT_MS } = question;
    const request = requestOf(operation, question);
    const received = await fetchWithin(timeoutMs, url, targetOf(operation, question), request);
    if (received.status >= 400) throw refusal(received, url);
    return received;
  }

  return {
    url,
    async ask(operation, question = {}) {
      return checked(operation, await send(operation, question), url);
    },
    async run(operation, question = {}) {
      const received = await send(operation, question);
      if (received.status !== 202) return { answer: checked(operation, received, url) };
      return { job: parsed(Job, received, url) };
    },
    async fetchText(operation, question = {}) {
      return (await send(operation, question)).text;
    },
    async *download(operation, question = {}) {
      const types = [operation.mediaType, ...(operation.otherMedia ?? [])];
      const isFile = ({ headers }: Response) =>
        types.some((type) => type === headers.get('content-type')?.split(';')[0]);
      yield* piecesFrom(url, targetOf(operation, question), requestOf(operation, question), isFile, FILE_SILENCE_MS);
    },
    async *follow(operation, lastEventId, question = {}) {
      const request = requestOf(operation, question);
      const headers = new Headers(request.headers);
      headers.set('accept', 'text/event-stream');
      if (lastEventId !== '') headers.set('last-event-id', lastEventId);
      const events = eventsFrom(url, targetOf(operation, question), { ...request, headers });
      for await (const { event = 'message', id, data, retryMs } of events) {
        if (event === 'error') throw streamError(data, url);
        yield { event, id, retryMs, data: parseJson(data) };
      }
    },
  };
}

interface Received {
  status: number;
  text: string;
}

async function fetchWithin(timeoutMs: number, base: string, target: URL, request: RequestInit): Promise<Received> {
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([limit, ...(request.signal ? [request.signal] : [])]);
  try {
    const response = await fetch(target, { ...request, signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    request.signal?.throwIfAborted();
    throw connectionError(error, base, timeoutMs);
  }
}

/** A stream of events sends a sign of life every 15 s: one that is silent for longer than this is broken. */
const SILENCE_MS = 45_000;
/** A file has no signs of life, and a filter that few entries pass makes it silent: longer than the API works at one. */
const FILE_SILENCE_MS = 200_000;

type Message = EventSourceMessage & Pick<StreamedEvent, 'retryMs'>;

async function* eventsFrom(base: string, target: URL, request: RequestInit): AsyncGenerator<Message> {
  const arrived: Message[] = [];
  let retryMs: number | undefined;
  const parser = createParser({
    onRetry(ms) {
      retryMs = ms;
    },
    onEvent(event) {
      arrived.push({ ...event, retryMs });
      retryMs = undefined;
    },
  });
  const isStream = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/event-stream') === true;
  for await (const piece of piecesFrom(base, target, request, isStream, SILENCE_MS)) {
    parser.feed(piece);
    yield* arrived.splice(0);
  }
}

/** The text of an answer as it arrives. @param isExpected whether this is the answer, and not something in its place */
async function* piecesFrom(
  base: string,
  target: URL,
  request: RequestInit,
  isExpected: (response: Response) => boolean,
  silenceMs: number,
): AsyncGenerator<string> {
  const broken = new AbortController();
  const breakOff = () => broken.abort(new DOMException('silent', 'TimeoutError'));
  let silence = setTimeout(breakOff, silenceMs);
  const signal = AbortSignal.any([broken.signal, ...(request.signal ? [request.signal] : [])]);
  const decoder = new TextDecoder();
  try {
    const response = await fetch(target, { ...request, signal });
    if (response.status >= 400) throw refusal({ status: response.status, text: await response.text() }, base);
    if (!isExpected(response)) throw unexpected(response.status, base);
    const reader = response.body?.getReader();
    for (;;) {
      const { value, done = true } = (await reader?.read()) ?? {};
      if (done) return;
      clearTimeout(silence);
      yield decoder.decode(value, { stream: true });
      silence = setTimeout(breakOff, silenceMs); // The reader may take its time.
    }
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof ApiError || error instanceof UnexpectedAnswerError) throw error;
    throw connectionError(error, base, silenceMs);
  } finally {
    clearTimeout(silence);
    broken.abort(); // Whoever stops reading closes the connection.
  }
}

/**
 * Inserts the parameters into a path such as `/tokens/{id}`. They are validated, because `..` would change the path.
 */
function pathOf(operation: Operation, params: object = {}): string {
  const values = new Map(Object.entries(params));
  const result = operation.params?.safeParse(params);
  if (result?.success === false) {
    const [issue] = result.error.issues;
    throw new InvalidInputError(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
}

function formWith(field: string, file: Blob): FormData {
  const form = new FormData();
  form.set(field, file, 'devices.csv');
  return form;
}

function checked<Op extends Operation>(operation: Op, received: Received, url: string): Output<Op> {
  return parsed(operation.response, received, url) as Output<Op>;
}

/** Returns the JSON itself and not the parsed value, so that `--json` shows everything that was received. */
function parsed<Schema extends z.ZodType>(schema: Schema, { status, text }: Received, url: string): z.output<Schema> {
  const json = parseJson(text);
  if (schema.safeParse(json).success) return json as z.output<Schema>;
  throw new UnexpectedAnswerError(
    `${url} answered with status ${status} and an unexpected body; is this the URL of the API?`,
    status,
  );
}

function refusal({ status, text }: Received, url: string): ApiError | UnexpectedAnswerError {
  const body = ErrorBody.safeParse(parseJson(text));
  if (!body.success) return unexpected(status, url);
  const { code, message, errors = [], errorsOmitted = 0, requestId } = body.data;
  return new ApiError(message, { status, code, fields: errors, fieldsOmitted: errorsOmitted, requestId });
}

/** The response does not come from the API but from something in front of it or in its place. */
function unexpected(status: number, url: string): UnexpectedAnswerError {
  const text = `${url} answered with status ${status}, and not as the API does; is this the URL of the API?`;
  return new UnexpectedAnswerError(text, status);
}

/** The last event of a stream that has failed. */
function streamError(data: string, url: string): ApiError | UnexpectedAnswerError {
  const error = StreamError.safeParse(parseJson(data));
  if (!error.success) return unexpected(200, url);
  const { message, code, requestId } = error.data;
  return new ApiError(message, { status: null, code, requestId });
}

function connectionError(error: unknown, url: string, timeoutMs: number): ConnectionError {
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
