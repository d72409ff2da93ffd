/** The client of the API, typed by its operations. It needs nothing but `fetch`. */
import type * as z from 'zod';
import { Job } from '../shared/api/jobs.ts';
import type { Operation, Output } from '../shared/api/operation.ts';
import { parseJson } from '../shared/json.ts';
import { InvalidInputError, UnexpectedAnswerError } from './errors.ts';
import {
  type Access,
  bytesOf,
  eventsOf,
  exchange,
  type Outgoing,
  piecesOf,
  type Received,
  type StreamedEvent,
} from './transport.ts';

export type { Access, StreamedEvent } from './transport.ts';

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
  /** The same for a file that is no text. */
  downloadBytes<Op extends Operation>(operation: Op, question?: Question<Op>): AsyncGenerator<Uint8Array>;
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

/** A file has no signs of life, and a filter that few entries pass makes it silent: longer than the API works at one. */
const FILE_SILENCE_MS = 200_000;

export function openClient(access: Access): Client {
  const { url } = access;
  async function send<Op extends Operation>(operation: Op, question: Question<Op>): Promise<Received> {
    return exchange(access, outgoingOf(operation, question), question.timeoutMs);
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
      yield* piecesOf(access, outgoingOf(operation, question), isFileOf(operation), FILE_SILENCE_MS);
    },
    async *downloadBytes(operation, question = {}) {
      yield* bytesOf(access, outgoingOf(operation, question), isFileOf(operation), FILE_SILENCE_MS);
    },
    async *follow(operation, lastEventId, question = {}) {
      yield* eventsOf(access, outgoingOf(operation, question), lastEventId);
    },
  };
}

function isFileOf({ mediaType, otherMedia = [] }: Operation): (type: string) => boolean {
  return (type) => [mediaType, ...otherMedia].some((one) => one === type);
}

function outgoingOf<Op extends Operation>(operation: Op, question: Question<Op>): Outgoing {
  const { params, query, body, file, site, signal } = question;
  return {
    method: operation.method,
    path: pathOf(operation, params),
    query: { ...query, site },
    body,
    form: file === undefined ? undefined : formWith(operation.upload ?? '', file),
    signal,
  };
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
