/** The API, typed by method and path. Only types come from the tables of operations: the browser loads neither them nor zod. */
import type * as z from 'zod';
import { eventsOf, exchange, type Outgoing, piecesOf, type Received } from '../../client/transport.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { Operation } from '../../shared/api/operation.ts';
import type { tables } from '../../shared/api/tables.ts';
import { pauseOver, reportPause, reportReachable } from './connection.ts';
import { problemOf, unexpectedAnswer } from './problem.ts';
import { BASE_URL, confirmSession, currentSession, refuseSession } from './session.ts';

type Tables = Omit<typeof tables, 'nettools' | 'scans' | 'metrics' | 'health' | 'specification'>;
type OperationsOf<Table> = Table[keyof Table];
type AnyOperation =
  | { [Name in keyof Tables]: OperationsOf<Tables[Name]> }[keyof Tables]
  | (typeof tables)['nettools']['triggerScan'];
type RouteOf<Op extends Operation> = `${Op['method']} ${Op['path']}`;
type ByRoute = { [Op in AnyOperation as RouteOf<Op>]: Op };

/** `GET /devices`: an operation of the API; {@link startCommand} starts commands. */
export type Route = keyof ByRoute;
/** A route that changes nothing. */
export type ReadRoute = Extract<Route, `GET ${string}`>;

type Field<Op, Name extends string> = Op extends { [Key in Name]: infer Schema } ? Schema : undefined;
type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;
type QueryOf<Schema> = Schema extends z.ZodType ? { [Key in keyof z.input<Schema>]?: QueryValue } : never;
type QueryValue = string | number | boolean | undefined;

/** The JSON of a successful response. */
export type AnswerOf<R extends Route> = z.output<ByRoute[R]['response']>;

export interface Question<R extends Route> {
  params?: InputOf<Field<ByRoute[R], 'params'>>;
  query?: QueryOf<Field<ByRoute[R], 'query'>>;
  body?: InputOf<Field<ByRoute[R], 'body'>>;
  /** For an operation that takes a file. */
  file?: File;
  /** For an operation about one site. */
  site?: string;
  ifMatch?: string;
  /** The last answer: returned again when it has not changed. */
  known?: AnswerOf<R> | undefined;
  signal?: AbortSignal;
  /** Without the token of the session. */
  isAnonymous?: boolean;
}

const TIMEOUT_MS = 60_000;
/** The API may need this long to make a file, before its first byte. */
const FILE_SILENCE_MS = 200_000;

const etags = new WeakMap<object, string>();

/** The ETag of an answer, for `ifMatch`; undefined where the API sends none. */
export function etagOf(answer: object): string | undefined {
  return etags.get(answer);
}

/**
 * Sends a request. One that only reads waits until a pause of the API is over.
 * @throws {Problem} when the API rejects the request or is unreachable
 */
export async function ask<R extends Route>(route: R, question: Question<R> = {}): Promise<AnswerOf<R>> {
  const { file, ifMatch, known, signal, isAnonymous } = question as Question<Route>;
  if (route.startsWith('GET ')) await pauseOver(signal);
  const knownTag = known === undefined ? undefined : etagOf(known as object);
  const received = await request(
    {
      ...outgoingOf(route, question as Question<Route>),
      headers: {
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(knownTag === undefined ? {} : { 'if-none-match': knownTag }),
      },
      form: file === undefined ? undefined : formWith(file),
    },
    isAnonymous ? null : currentSession(),
  );
  if (received.status === 304 && known !== undefined) return known as AnswerOf<R>;
  const answer = jsonOf(received) as AnswerOf<R> & object;
  const etag = received.headers.get('etag');
  if (etag !== null) etags.set(answer, etag);
  return answer;
}

/** Starts a command on a site, without waiting for its end. */
export async function startCommand(tool: string, site: string, fields: object, agent?: string): Promise<Job> {
  const hasFields = Object.keys(fields).length > 0;
  const received = await request({
    method: hasFields ? 'POST' : 'GET',
    path: `/nettools/${tool}`,
    query: { site, agent },
    headers: { prefer: 'respond-async' },
    body: hasFields ? fields : undefined,
  });
  return jsonOf(received) as Job;
}

/** A response that is not JSON, such as an export. */
export async function download<R extends ReadRoute>(route: R, question: Question<R> = {}): Promise<Blob> {
  const { token } = currentSession() ?? { token: '' };
  const outgoing = outgoingOf(route, question as Question<Route>);
  const pieces = piecesOf({ url: BASE_URL, token }, outgoing, (type) => type !== 'text/html', FILE_SILENCE_MS);
  const texts: string[] = [];
  for await (const piece of reported(pieces, question.signal)) texts.push(piece);
  return new Blob(texts);
}

/**
 * The events of a stream until it ends.
 * @param lastEventId where to resume; empty: from the beginning
 * @throws {Problem} also for the event `error`, which ends a failed stream
 */
export function follow(path: string, lastEventId: string, signal: AbortSignal): ReturnType<typeof eventsOf> {
  const { token } = currentSession() ?? { token: '' };
  return reported(eventsOf({ url: BASE_URL, token }, { method: 'GET', path, signal }, lastEventId), signal);
}

async function request(outgoing: Outgoing, session = currentSession()): Promise<Received> {
  try {
    const received = await exchange({ url: BASE_URL, token: session?.token ?? '' }, outgoing, TIMEOUT_MS);
    reportAnswer(session);
    return received;
  } catch (error) {
    throw reportFailure(error, session, outgoing.signal);
  }
}

async function* reported<T>(stream: AsyncGenerator<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const session = currentSession();
  let hasBegun = false;
  try {
    for await (const one of stream) {
      if (!hasBegun) reportAnswer(session);
      hasBegun = true;
      yield one;
    }
  } catch (error) {
    // A stream that breaks off does not prove that the API is unreachable.
    throw hasBegun && !signal?.aborted ? problemOf(error) : reportFailure(error, session, signal);
  }
}

type Session = ReturnType<typeof currentSession>;

function reportAnswer(session: Session): void {
  reportReachable(true);
  if (session !== null && currentSession() === session) confirmSession();
}

const GATEWAY_FAILURES = [502, 503, 504];
/** For a 429 without `Retry-After`, as gateways send it. */
const DEFAULT_PAUSE_S = 5;

/** @returns what to throw */
function reportFailure(error: unknown, session: Session, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error;
  const problem = problemOf(error);
  const { status, code, retryAfter, fields } = problem;
  const isGateway = code === 'unexpected' && GATEWAY_FAILURES.includes(status ?? 0);
  reportReachable(code !== 'unreachable' && !isGateway);
  if (status === 429) reportPause(retryAfter ?? DEFAULT_PAUSE_S);
  // The token is unknown, expired or revoked; for a missing scope, `fields` names the scope.
  const isOurs = session !== null && currentSession() === session;
  if (code === 'forbidden' && fields.length === 0 && isOurs) refuseSession();
  return problem;
}

function jsonOf({ status, text }: Received): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedAnswer(status);
  }
}

function outgoingOf(route: Route, { params, query, body, site, signal }: Question<Route>): Outgoing {
  const [method = '', path = ''] = route.split(' ');
  const values = new Map(Object.entries(params ?? {}));
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name)))),
    query: { ...(query as object | undefined), site },
    body,
    signal,
  };
}

function formWith(file: File): FormData {
  const form = new FormData();
  form.set('file', file, 'devices.csv'); // The field that `POST /devices/import` takes.
  return form;
}
