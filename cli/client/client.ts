/** The HTTP client of the API. Turns its error responses into messages. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type * as z from 'zod';
import { Job } from '../../shared/api/jobs.ts';
import type { Operation, Output } from '../../shared/api/operation.ts';
import { codeOf } from '../../shared/errno.ts';
import { ErrorBody, type ErrorCode, StreamError } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import { type Access, isLoopback } from './config.ts';
import { type Ending, Failure } from './failure.ts';

/** The content of a request. */
export interface Question<Op extends Operation> {
  params?: Part<Op['params']>;
  query?: Part<Op['query']>;
  body?: Part<Op['body']>;
  /** For an operation that takes a file. */
  file?: Blob;
  /** For an operation about one site; without it the token's default site is used. */
  site?: string | undefined;
  /** The answer must be complete by then. Default: 30 s. */
  timeoutMs?: number;
}

type Part<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

export interface Client {
  readonly url: string;
  /**
   * The response of the API, including fields that this version does not know.
   * @throws {Failure} when the API cannot be reached or refuses the request
   */
  ask<Op extends Operation>(operation: Op, question?: Question<Op>): Promise<Output<Op>>;
  /** Like `ask`, for a command on a site: if it takes longer than one request, the answer is a job. */
  run<Op extends Operation>(operation: Op, question?: Question<Op>): Promise<{ answer: Output<Op> } | { job: Job }>;
  /** Like `ask`, for an answer that is not JSON. */
  fetchText<Op extends Operation>(operation: Op, question?: Question<Op>): Promise<string>;
  /**
   * The events of a stream, until the API ends it.
   * @param lastEventId where to go on; empty: with what is new
   * @throws {Failure} when the API cannot be reached, refuses, falls silent, or ends the stream with an error
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

  async function send<Op extends Operation>(operation: Op, question: Question<Op>): Promise<Received> {
    const { body, file, timeoutMs = TIMEOUT_MS } = question;
    const target = targetOf(operation, question);
    const headers = new Headers({ authorization: `Bearer ${token}` });
    if (body !== undefined) headers.set('content-type', 'application/json');
    const received = await fetchWithin(timeoutMs, url, target, {
      method: operation.method,
      headers,
      body: file === undefined ? JSON.stringify(body) : formWith(operation.upload ?? '', file),
    });
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
    async *follow(operation, lastEventId, question = {}) {
      const headers = new Headers({ authorization: `Bearer ${token}`, accept: 'text/event-stream' });
      if (lastEventId !== '') headers.set('last-event-id', lastEventId);
      for await (const { event = 'message', id, data } of eventsFrom(url, targetOf(operation, question), headers)) {
        if (event === 'error') throw streamFailure(data);
        yield { event, id, data: parseJson(data) };
      }
    },
  };
}

interface Received {
  status: number;
  text: string;
}

async function fetchWithin(timeoutMs: number, base: string, target: URL, init: RequestInit): Promise<Received> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // No redirects, because the token must only be sent to the host that it belongs to.
    const response = await fetch(target, { ...init, redirect: 'error', signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw unreachable(error, base, timeoutMs);
  }
}

/** A stream sends a sign of life every 15 s: one that is silent for longer than this is broken. */
const SILENCE_MS = 45_000;

async function* eventsFrom(base: string, target: URL, headers: Headers): AsyncGenerator<EventSourceMessage> {
  const broken = new AbortController();
  const silence = setTimeout(() => broken.abort(new DOMException('silent', 'TimeoutError')), SILENCE_MS);
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => arrived.push(event) });
  const decoder = new TextDecoder();
  try {
    const response = await fetch(target, { headers, redirect: 'error', signal: broken.signal });
    if (response.status >= 400) throw refusal({ status: response.status, text: await response.text() }, base);
    for await (const bytes of response.body ?? []) {
      silence.refresh();
      parser.feed(decoder.decode(bytes, { stream: true }));
      yield* arrived.splice(0);
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreachable(error, base, SILENCE_MS);
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
    throw new Failure('usage', `${issue?.path.join('.')}: ${issue?.message}`);
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
  throw new Failure(
    'failure',
    `${url} answered with status ${status} and an unexpected body; is this the URL of the API?`,
  );
}

/** Errors that scripts may want to distinguish; all others are plain failures. */
const ENDINGS: Partial<Record<ErrorCode, Ending>> = {
  validation_failed: 'usage',
  unsupported_format: 'usage',
  forbidden: 'auth',
  site_forbidden: 'auth',
  not_found: 'notFound',
  agent_offline: 'agentOffline',
  agent_silent: 'agentOffline',
};

function refusal({ status, text }: Received, url: string): Failure {
  const body = ErrorBody.safeParse(parseJson(text));
  if (!body.success) {
    // The response does not come from the API but from something in front of it, such as a gateway.
    const ending = status === 401 || status === 403 ? 'auth' : 'failure';
    return new Failure(
      ending,
      `${url} answered with status ${status}, and not as the API does; is this the URL of the API?`,
    );
  }
  const { code, message, errors = [], errorsOmitted = 0 } = body.data;
  // The message of a single field is already part of the main message.
  const fields = errors.filter((field) => !message.includes(field.message));
  const lines = [message, ...fields.map((field) => `  ${field.path === '' ? 'body' : field.path}: ${field.message}`)];
  if (errorsOmitted > 0) lines.push(`  … and ${errorsOmitted} more`);
  return new Failure(ENDINGS[code] ?? 'failure', lines.join('\n'));
}

/** The last event of a stream that has failed. */
function streamFailure(data: string): Failure {
  const error = StreamError.safeParse(parseJson(data));
  if (!error.success) return new Failure('failure', 'The stream of events has ended with an error that says nothing');
  return new Failure(ENDINGS[error.data.code] ?? 'failure', error.data.message);
}

function unreachable(error: unknown, url: string, timeoutMs: number): Failure {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return new Failure('failure', `${url} has not answered within ${timeoutMs / 1000} s`);
  const code = codeOf(cause);
  if (code === 'ECONNREFUSED') {
    const hint = isLoopback(url)
      ? 'is it running? Start it with: npm start'
      : 'is the URL correct, and is the API running?';
    return new Failure('failure', `Nothing answers at ${url}: ${hint}`);
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return new Failure(
      'failure',
      `Cannot reach ${url}: the server does not speak TLS at that port; should the URL begin with http://?`,
    );
  }
  // fetch() only says "fetch failed"; the reason is in the cause.
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return new Failure('failure', `Cannot reach ${url}: ${code && !reason.includes(code) ? `${code} ` : ''}${reason}`);
}
