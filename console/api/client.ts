/**
 * The API as the console uses it: a request is named by its method and path, and typed by the operation that has them.
 * Only types come from the tables of operations, so that neither they nor zod are part of what a browser loads.
 */
import type * as z from 'zod';
import type { admin } from '../../shared/api/admin.ts';
import type { devices } from '../../shared/api/devices.ts';
import type { hooks } from '../../shared/api/hooks.ts';
import type { Job, jobs } from '../../shared/api/jobs.ts';
import type { nettools } from '../../shared/api/nettools.ts';
import type { Operation } from '../../shared/api/operation.ts';
import type { overview } from '../../shared/api/overview.ts';
import { pauseOver, reportPause, reportReachable } from './connection.ts';
import { type FieldProblem, Problem } from './problem.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { BASE_URL, confirmSession, currentSession, refuseSession } from './session.ts';

type Tables = typeof admin &
  typeof devices &
  typeof hooks &
  typeof jobs &
  typeof overview &
  Pick<typeof nettools, 'triggerScan'>;
type RouteOf<Op extends Operation> = `${Op['method']} ${Op['path']}`;
type ByRoute = { [Name in keyof Tables as RouteOf<Tables[Name]>]: Tables[Name] };

/** `GET /devices`: every operation of the API but the commands, which {@link startCommand} starts. */
export type Route = keyof ByRoute;
/** A route that changes nothing. */
export type ReadRoute = Extract<Route, `GET ${string}`>;

type Field<Op, Name extends string> = Op extends { [Key in Name]: infer Schema } ? Schema : undefined;
type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;
type QueryOf<Schema> = Schema extends z.ZodType ? { [Key in keyof z.input<Schema>]?: QueryValue } : never;
type QueryValue = string | number | boolean | undefined;

/** The JSON of a successful answer. */
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
  signal?: AbortSignal;
}

const TIMEOUT_MS = 60_000;
/** Answers that are kept with their ETag, so that an unchanged one needs neither transfer nor parsing. */
const MAX_KEPT = 40;
/** As long as TanStack Query keeps what nobody looks at. */
const KEPT_MS = 5 * 60_000;
const kept = new Map<string, { etag: string; answer: unknown; usedAt: number }>();

/** Forgets the answers of the last session. */
export function forgetAnswers(): void {
  kept.clear();
}

/** An answer, and the tag of its version for `ifMatch`; null where the API names none. */
export interface Tagged<Answer> {
  answer: Answer;
  etag: string | null;
}

/**
 * The answer of the API. An answer that has not changed since it was last read is the same object. A question that reads
 * waits as long as the API has asked for a pause.
 * @throws {Problem} when the API refuses the request or cannot be reached
 */
export async function ask<R extends Route>(route: R, question: Question<R> = {}): Promise<AnswerOf<R>> {
  return (await askWithEtag(route, question)).answer;
}

/** The same, with the ETag of the answer. */
export async function askWithEtag<R extends Route>(route: R, question: Question<R> = {}): Promise<Tagged<AnswerOf<R>>> {
  const { params, query, body, file, site, ifMatch, signal } = question as Question<Route>;
  const url = urlOf(route, params, { ...query, site });
  const headers = new Headers();
  if (ifMatch !== undefined) headers.set('if-match', ifMatch);
  const isRead = route.startsWith('GET ');
  if (isRead) await pauseOver(signal);
  const known = isRead ? kept.get(url) : undefined;
  if (known !== undefined) headers.set('if-none-match', known.etag);
  const response = await send(url, { method: methodOf(route), headers, ...contentOf(headers, body, file), signal });
  if (response.status === 304 && known !== undefined) {
    keep(url, known.etag, known.answer);
    return { answer: known.answer as AnswerOf<R>, etag: known.etag };
  }
  const answer = (await jsonOf(response, signal)) as AnswerOf<R>;
  const etag = response.headers.get('etag');
  if (isRead && etag !== null) keep(url, etag, answer);
  return { answer, etag };
}

/** Starts a command on a site and does not wait for its end: the job that came of it. */
export async function startCommand(tool: string, site: string, fields: object, agent?: string): Promise<Job> {
  const hasFields = Object.keys(fields).length > 0;
  const url = urlOf(`${hasFields ? 'POST' : 'GET'} /nettools/${tool}`, undefined, { site, agent });
  const headers = new Headers({ prefer: 'respond-async' });
  const content = contentOf(headers, hasFields ? fields : undefined, undefined);
  return (await jsonOf(await send(url, { method: hasFields ? 'POST' : 'GET', headers, ...content }))) as Job;
}

/** An answer that is not JSON, such as an export. */
export async function download<R extends ReadRoute>(route: R, question: Question<R> = {}): Promise<Blob> {
  const { params, query, site, signal } = question as Question<ReadRoute>;
  const response = await send(urlOf(route, params, { ...query, site }), {
    method: 'GET',
    headers: new Headers(),
    signal,
  });
  return readBody(response, () => response.blob(), signal);
}

/**
 * Opens a stream of events, and returns its raw bytes; `follow` in stream.ts reads them.
 * @throws {Problem}
 */
export async function openStream(
  path: string,
  lastEventId: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers = new Headers({ accept: 'text/event-stream' });
  if (lastEventId !== '') headers.set('last-event-id', lastEventId);
  const response = await send(`${BASE_URL}${path}`, { method: 'GET', headers, signal, isStream: true });
  if (response.body === null) throw unexpected(response.status);
  return response.body;
}

interface Sent {
  method: string;
  headers: Headers;
  body?: BodyInit;
  signal?: AbortSignal | undefined;
  /** A stream has no deadline of its own. */
  isStream?: boolean;
}

async function send(url: string, { method, headers, body, signal, isStream = false }: Sent): Promise<Response> {
  const session = currentSession();
  headers.set('authorization', `Bearer ${session?.token ?? ''}`);
  const limits = [...(isStream ? [] : [AbortSignal.timeout(TIMEOUT_MS)]), ...(signal === undefined ? [] : [signal])];
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      cache: 'no-store', // Nothing of a LAN stays on the disk of the browser.
      ...(body === undefined ? {} : { body }),
      ...(limits.length === 0 ? {} : { signal: AbortSignal.any(limits) }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error);
  }
  if (response.status < 400) {
    reportReachable(true);
    if (session !== null && currentSession() === session) confirmSession();
    return response;
  }
  const problem = await refusal(response);
  // A gateway in front of the API answers in its place when it cannot reach it.
  reportReachable(!(problem.code === 'unexpected' && GATEWAY_FAILURES.includes(response.status)));
  if (response.status === 429) reportPause(problem.retryAfter ?? DEFAULT_PAUSE_S);
  // A token that is unknown, expired or revoked; one without a scope names the scope in `fields`.
  const isOurs = session !== null && currentSession() === session;
  if (problem.code === 'forbidden' && problem.fields.length === 0 && isOurs) refuseSession();
  throw problem;
}

/** Bad Gateway, Service Unavailable, Gateway Timeout. */
const GATEWAY_FAILURES = [502, 503, 504];
/** For a refusal that does not say how long to wait: a gateway makes such ones. */
const DEFAULT_PAUSE_S = 5;

async function refusal(response: Response): Promise<Problem> {
  const { status, headers } = response;
  const body = (await response.json().catch(() => null)) as Partial<Record<string, unknown>> | null;
  const retryAfter = retryAfterSeconds(headers.get('retry-after')) ?? undefined;
  if (typeof body?.message !== 'string' || typeof body.code !== 'string') return unexpected(status, retryAfter);
  return new Problem(body.message, {
    status,
    code: body.code,
    requestId: typeof body.requestId === 'string' ? body.requestId : undefined,
    fields: (body.errors as FieldProblem[] | undefined) ?? [],
    retryAfter,
  });
}

function unexpected(status: number, retryAfter?: number): Problem {
  const message = `Something has answered with the status ${status}, and not as the API does.`;
  return new Problem(message, { status, code: 'unexpected', retryAfter });
}

function unreachable(error: unknown): Problem {
  reportReachable(false);
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  const message = isLate
    ? `The API has not answered within ${TIMEOUT_MS / 1000} seconds.`
    : 'The API cannot be reached.';
  return new Problem(message, { status: null, code: 'unreachable' });
}

function jsonOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  return readBody(response, () => response.json(), signal);
}

async function readBody<T>({ status }: Response, read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await read();
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof SyntaxError ? unexpected(status) : unreachable(error);
  }
}

function keep(url: string, etag: string, answer: unknown): void {
  const usedAt = Date.now();
  kept.delete(url);
  kept.set(url, { etag, answer, usedAt });
  for (const [other, one] of kept) {
    if (kept.size > MAX_KEPT || usedAt - one.usedAt > KEPT_MS) kept.delete(other);
  }
}

function methodOf(route: string): string {
  return route.slice(0, route.indexOf(' '));
}

function urlOf(route: string, params: object | undefined, query: Record<string, QueryValue>): string {
  const values = new Map(Object.entries(params ?? {}));
  const path = route
    .slice(route.indexOf(' ') + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `${BASE_URL}${path}${search.size === 0 ? '' : `?${search}`}`;
}

function contentOf(headers: Headers, body: unknown, file: File | undefined): { body?: BodyInit } {
  if (file !== undefined) {
    const form = new FormData();
    form.set('file', file, 'devices.csv'); // The field that `POST /devices/import` takes.
    return { body: form };
  }
  if (body === undefined) return {};
  headers.set('content-type', 'application/json');
  return { body: JSON.stringify(body) };
}
