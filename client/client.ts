/** The client of the API, typed by its operations. It needs nothing but `fetch`. */
import type { Job } from '../shared/api/jobs.ts';
import { parseJson } from '../shared/json.ts';
import { InvalidInputError, UnexpectedAnswerError } from './errors.ts';
import type { AnswerOf, BodyOf, Named, ParamsOf, QueryOf } from './routes.ts';
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
export interface Question<Name extends Named> {
  params?: ParamsOf<Name>;
  query?: QueryOf<Name>;
  body?: BodyOf<Name>;
  /** For an operation that takes a file. */
  file?: Blob;
  /** For an operation about one site; without it the token's default site is used. */
  site?: string | undefined;
  /** Only if what it changes is still as it was with this ETag. */
  ifMatch?: string | undefined;
  /** The answer must be complete by then. Default: 30 s. A stream has no such limit. */
  timeoutMs?: number;
  /** Ends the request, or the reading of a stream; what it throws is the reason of the signal. */
  signal?: AbortSignal;
}

export interface Client {
  readonly url: string;
  /**
   * The response of the API, including fields that this version does not know. Like all methods it throws an
   * `ApiError` when the API refuses the request, a `ConnectionError` when it cannot be reached, an
   * `UnexpectedAnswerError` when something else has answered, and an `InvalidInputError` for a parameter that would
   * change the path.
   */
  ask<Name extends Named>(name: Name, question?: Question<Name>): Promise<AnswerOf<Name>>;
  /** The same with the ETag of the answer. */
  tagged<Name extends Named>(
    name: Name,
    question?: Question<Name>,
  ): Promise<{ answer: AnswerOf<Name>; etag: string | undefined }>;
  /** Like `ask`, for a command on a site: if it takes longer than one request, the answer is a job. */
  run<Name extends Named>(name: Name, question?: Question<Name>): Promise<{ answer: AnswerOf<Name> } | { job: Job }>;
  /** A request that no operation of this version has to describe. */
  send(outgoing: Outgoing): Promise<Received>;
  /** Like `ask`, for an answer that is not JSON. */
  fetchText<Name extends Named>(name: Name, question?: Question<Name>): Promise<string>;
  /**
   * The text of a file in pieces, as they arrive, for one that is too large to be held. A file that the API breaks off,
   * or of which nothing comes for 200 s, ends with a `ConnectionError`.
   */
  download<Name extends Named>(name: Name, question?: Question<Name>): AsyncGenerator<string>;
  /** The same for a file that is no text. */
  downloadBytes<Name extends Named>(name: Name, question?: Question<Name>): AsyncGenerator<Uint8Array>;
  /**
   * The events of a stream, until the API ends it. A stream that falls silent for 45 s is a `ConnectionError`, one that
   * ends with an error an `ApiError`.
   * @param lastEventId where to go on; empty: with what is new
   */
  follow<Name extends Named>(name: Name, lastEventId: string, question?: Question<Name>): AsyncGenerator<StreamedEvent>;
}

/** A file has no signs of life, and a filter that few entries pass makes it silent: longer than the API works at one. */
const FILE_SILENCE_MS = 200_000;

/** @param fetchFile in place of the platform's `fetch`, for answers that may be large */
export function openClient(access: Access, fetchFile = access.fetch): Client {
  const { url } = access;
  const forFiles = fetchFile === undefined ? access : { ...access, fetch: fetchFile };
  const exchanged = <Name extends Named>(name: Name, question: Question<Name> = {}) =>
    exchange(access, outgoingOf(name, question), question.timeoutMs);
  return {
    url,
    send: (outgoing) => exchange(access, outgoing),
    async ask(name, question) {
      return checked(name, await exchanged(name, question), url);
    },
    async tagged(name, question) {
      const received = await exchanged(name, question);
      return { answer: checked(name, received, url), etag: received.headers.get('etag') ?? undefined };
    },
    async run(name, question) {
      const received = await exchanged(name, question);
      if (received.status !== 202) return { answer: checked(name, received, url) };
      return { job: checked('GET /jobs/{id}', received, url) };
    },
    async fetchText(name, question) {
      return (await exchanged(name, question)).text;
    },
    async *download(name, question = {}) {
      yield* piecesOf(forFiles, outgoingOf(name, question), isFileOf(name), FILE_SILENCE_MS);
    },
    async *downloadBytes(name, question = {}) {
      yield* bytesOf(forFiles, outgoingOf(name, question), isFileOf(name), FILE_SILENCE_MS);
    },
    async *follow(name, lastEventId, question = {}) {
      yield* eventsOf(access, outgoingOf(name, question), lastEventId);
    },
  };
}

/** What stands in the place of the API, such as a gateway, answers with a page. */
function isFileOf(name: Named): (type: string) => boolean {
  if (typeof name === 'string') return (type) => type !== 'text/html' && type !== 'application/json';
  return (type) => [name.mediaType, ...(name.otherMedia ?? [])].includes(type);
}

function outgoingOf<Name extends Named>(name: Name, question: Question<Name>): Outgoing {
  const { params = {}, query, body, file, site, ifMatch, signal } = question;
  const [method = '', template = ''] = typeof name === 'string' ? name.split(' ') : [name.method, name.path];
  const issue = typeof name === 'string' ? undefined : name.params?.safeParse(params).error?.issues[0];
  if (issue !== undefined) throw new InvalidInputError(`${issue.path.join('.')}: ${issue.message}`);
  return {
    method,
    path: pathOf(template, params as Record<string, unknown>),
    query: { ...(query as object | undefined), site },
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
    body,
    form: file === undefined ? undefined : formWith(file),
    signal,
  };
}

/** Inserts the parameters into a path such as `/tokens/{id}`. A URL takes `..` for a step up, and nothing for no name. */
function pathOf(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(params[name] ?? '');
    if (/^\.{0,2}$/.test(text)) throw new InvalidInputError(`"${text}" is no ${name}`);
    return encodeURIComponent(text);
  });
}

function formWith(file: Blob): FormData {
  const form = new FormData();
  form.set('file', file, 'devices.csv');
  return form;
}

/** Returns the JSON itself and not the parsed value, so that `--json` shows everything that was received. */
function checked<Name extends Named>(name: Name, { status, text }: Received, url: string): AnswerOf<Name> {
  const json = parseJson(text);
  const isExpected =
    typeof name === 'string' ? typeof json === 'object' && json !== null : name.response.safeParse(json).success;
  if (isExpected) return json as AnswerOf<Name>;
  const message = `${url} answered with status ${status} and an unexpected body; is this the URL of the API?`;
  throw new UnexpectedAnswerError(message, status);
}
