/** The API as the command line uses it. No table of operations is loaded: building their schemas takes longer than a call. */
import { InvalidInputError, UnexpectedAnswerError } from '../../client/errors.ts';
import type { AnswerOf, BodyOf, ParamsOf, QueryOf, Route } from '../../client/routes.ts';
import {
  type Access,
  bytesOf,
  eventsOf,
  exchange,
  type Outgoing,
  piecesOf,
  type Received,
  type StreamedEvent,
} from '../../client/transport.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { parseJson } from '../../shared/json.ts';
import { streamFetch } from './stream-fetch.ts';

/** The content of a request. */
export interface Question<R extends Route> {
  params?: ParamsOf<R>;
  query?: QueryOf<R>;
  body?: BodyOf<R>;
  /** For an operation that takes a file. */
  file?: Blob;
  /** For an operation about one site; without it the token's default site is used. */
  site?: string | undefined;
  /** Only if what it changes is still as it was with this ETag. */
  ifMatch?: string | undefined;
  /** The answer must be complete by then. Default: 30 s. A stream has no such limit. */
  timeoutMs?: number;
}

/** A command for an agent: the name of its tool, and its fields, if the tool has any. */
export interface Call {
  tool: string;
  site: string | undefined;
  agent: string | undefined;
  body: object | undefined;
}

/** All methods throw what those of `client/client.ts` throw. */
export interface Api {
  readonly url: string;
  /** A request that no route of this version has to describe. */
  send(outgoing: Outgoing): Promise<Received>;
  /** The JSON of the answer, also what this version does not know of. */
  ask<R extends Route>(route: R, question?: Question<R>): Promise<AnswerOf<R>>;
  /** The same with the ETag of the answer. */
  tagged<R extends Route>(route: R, question?: Question<R>): Promise<{ answer: AnswerOf<R>; etag: string | undefined }>;
  /** Runs a command; if it takes longer than one request, the answer is a job. */
  run(call: Call, timeoutMs: number): Promise<{ answer: object } | { job: Job }>;
  /** The events of a command, until the API ends the stream. */
  followCall(call: Call): AsyncGenerator<StreamedEvent>;
  /** For an answer that is not JSON. */
  fetchText<R extends Route>(route: R, question?: Question<R>): Promise<string>;
  /** The text of a file in pieces, as they arrive. */
  download<R extends Route>(route: R, question?: Question<R>): AsyncGenerator<string>;
  /** The same for a file that is no text. */
  downloadBytes<R extends Route>(route: R, question?: Question<R>): AsyncGenerator<Uint8Array>;
  /** @param lastEventId where to go on; empty: with what is new */
  follow<R extends Route>(route: R, lastEventId: string, question?: Question<R>): AsyncGenerator<StreamedEvent>;
}

/** A file has no signs of life, and a filter that few entries pass makes it silent: longer than the API works at one. */
const FILE_SILENCE_MS = 200_000;
/** What stands in the place of the API, such as a gateway, answers with a page. */
const isFile = (type: string) => type !== 'text/html' && type !== 'application/json';

export function openApi(access: Access): Api {
  const { url } = access;
  const forFiles = { ...access, fetch: streamFetch };
  async function json(
    outgoing: Outgoing,
    timeoutMs?: number,
  ): Promise<{ status: number; body: object; etag: string | undefined }> {
    const { status, headers, text } = await exchange(access, outgoing, timeoutMs);
    const body = parseJson(text);
    if (typeof body === 'object' && body !== null) return { status, body, etag: headers.get('etag') ?? undefined };
    const message = `${url} answered with status ${status} and an unexpected body; is this the URL of the API?`;
    throw new UnexpectedAnswerError(message, status);
  }
  return {
    url,
    send: (outgoing) => exchange(access, outgoing),
    async ask<R extends Route>(route: R, question: Question<R> = {}) {
      return (await json(outgoingOf(route, question), question.timeoutMs)).body as AnswerOf<R>;
    },
    async tagged<R extends Route>(route: R, question: Question<R> = {}) {
      const { body, etag } = await json(outgoingOf(route, question), question.timeoutMs);
      return { answer: body as AnswerOf<R>, etag };
    },
    async run(call, timeoutMs) {
      const { status, body } = await json(outgoingCall(call), timeoutMs);
      return status === 202 ? { job: body as Job } : { answer: body };
    },
    followCall: (call) => eventsOf(access, outgoingCall(call)),
    async fetchText(route, question = {}) {
      return (await exchange(access, outgoingOf(route, question), question.timeoutMs)).text;
    },
    download: (route, question = {}) => piecesOf(forFiles, outgoingOf(route, question), isFile, FILE_SILENCE_MS),
    downloadBytes: (route, question = {}) => bytesOf(forFiles, outgoingOf(route, question), isFile, FILE_SILENCE_MS),
    follow: (route, lastEventId, question = {}) => eventsOf(access, outgoingOf(route, question), lastEventId),
  };
}

function outgoingOf<R extends Route>(route: R, question: Question<R>): Outgoing {
  const { params = {}, query, body, file, site, ifMatch } = question;
  const [method = '', template = ''] = route.split(' ');
  return {
    method,
    path: pathOf(template, params as Record<string, unknown>),
    query: { ...(query as object | undefined), site },
    ...(ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }),
    body,
    form: file === undefined ? undefined : formWith(file),
  };
}

function outgoingCall({ tool, site, agent, body }: Call): Outgoing {
  return { method: body === undefined ? 'GET' : 'POST', path: `/nettools/${tool}`, query: { site, agent }, body };
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
