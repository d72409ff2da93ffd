/** One address in front of several cells: every request goes to the cell that it is for, or to all of them. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ERRORS, refusalBody } from '../api/http/errors.ts';
import { MAX_BODY_BYTES } from '../shared/api/operation.ts';
import { type ErrorCode, ServiceError } from '../shared/errors.ts';
import type { Cell, RouterConfig } from './config.ts';
import { CellSilent, forward } from './forward.ts';
import {
  type CellAnswer,
  cursorAfter,
  MISSING_HEADER,
  mergeLists,
  mergeMetrics,
  readCursor,
  withMissing,
} from './merge.ts';
import { type Asked, type Merging, readAsked } from './operations.ts';
import { type Found, openPlaces, type Places } from './places.ts';

const MAX_CONNECTIONS = 2_500;
const HEADERS_WITHIN_MS = 20_000;
const REQUEST_WITHIN_MS = 120_000;
/** How long a cell may take for its part of an answer over all cells. */
const PART_WITHIN_MS = 25_000;
/** The longest part of a cell that is merged with others. */
const MAX_PART_BYTES = 32 * 1024 * 1024;
const FINISH_WITHIN_MS = 3_000;
const RETRY_AFTER_S = 5;
const [MOVED] = ERRORS.site_moved;

export interface Router extends AsyncDisposable {
  readonly port: number;
}

interface Call {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  url: URL;
}

export async function startRouter({ cells, host, port }: RouterConfig): Promise<Router> {
  const places = openPlaces(cells);
  const server = createServer(
    { headersTimeout: HEADERS_WITHIN_MS, requestTimeout: REQUEST_WITHIN_MS, noDelay: true },
    (incoming, outgoing) => {
      answer(cells, places, incoming, outgoing).catch((error: unknown) => refuse(outgoing, error));
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), FINISH_WITHIN_MS);
      await closed;
      clearTimeout(cut);
    },
  };
}

async function answer(cells: readonly Cell[], places: Places, incoming: IncomingMessage, outgoing: ServerResponse) {
  const target = incoming.url ?? '';
  const url = target.startsWith('/') ? URL.parse(`http://router${target.replace(/^\/+/, '/')}`) : null;
  if (url === null) throw new ServiceError('not_found', 'The path cannot be read');
  const call = { incoming, outgoing, url };
  if (url.pathname === '/health' || url.pathname === '/health/ready') return answerHealth(cells, call);
  const { authorization } = incoming.headers;
  if (authorization === undefined) return withoutToken(cells, call);
  const asked = readAsked(incoming.method ?? '', url, headerOf(incoming, 'x-site'));
  const known = await places.ofToken(authorization);
  if (known.cells.length === 0) return passOn(call, notFound(known, cells));
  if (asked.merging !== null) return answerAll(call, known, { ...asked, merging: asked.merging });
  const cell = await cellFor(call, places, known, asked);
  const status = await passOn(call, cell);
  // What the cell refuses may have moved, or the token may have been revoked since.
  if (status === 401 || status === 403 || status === MOVED) places.forget(authorization, asked.site);
}

/** The cell of the site; of what is about no site, the one that the request names, or the first that knows the token. */
async function cellFor({ incoming }: Call, places: Places, known: Found, { site }: Asked): Promise<Cell> {
  const [first] = known.cells;
  const wanted = headerOf(incoming, 'x-cell');
  const chosen = wanted === undefined ? first : known.cells.find(({ name }) => name === wanted);
  if (chosen === undefined) throw new ServiceError('not_found', 'X-Cell names no cell in which the token is valid');
  if (site === null || wanted !== undefined || (known.cells.length === 1 && known.silent.length === 0)) return chosen;
  const at = await places.ofSite(incoming.headers.authorization ?? '', site, known.cells);
  const silent = [...at.silent, ...known.silent];
  return at.cells[0] ?? notFound({ cells: [], silent }, known.cells);
}

/** Who knows nothing answers with its own refusal; but nobody refuses for a cell that says nothing. */
function notFound({ silent }: Found, cells: readonly Cell[]): Cell {
  const [first] = cells;
  if (first !== undefined && silent.length === 0) return first;
  throw unavailable(silent.map(({ name }) => name));
}

function unavailable(names: readonly string[]): ServiceError {
  const message = `What this is about is not known as long as these cells do not answer: ${names.join(', ')}`;
  return new ServiceError('unavailable', message, { retryAfter: RETRY_AFTER_S });
}

function passOn({ incoming, outgoing, url }: Call, cell: Cell): Promise<number> {
  return forward(cell, { incoming, outgoing, path: url.pathname + url.search });
}

/** A code of enrolment is known by one cell alone: each is asked until one takes it. Files are those of the first. */
async function withoutToken(cells: readonly Cell[], { incoming, outgoing, url }: Call): Promise<void> {
  const path = url.pathname + url.search;
  const body = incoming.method === 'GET' || incoming.method === 'HEAD' ? undefined : await smallBody(incoming);
  const silent: string[] = [];
  for (const [at, cell] of cells.entries()) {
    const isLast = at === cells.length - 1;
    const passesOver = (status: number) => body !== undefined && status === 403 && (!isLast || silent.length > 0);
    try {
      await forward(cell, { incoming, outgoing, path, ...(body === undefined ? {} : { body }), passesOver });
      if (outgoing.headersSent) return;
    } catch (error) {
      if (!(error instanceof CellSilent)) throw error;
      silent.push(cell.name);
    }
  }
  throw unavailable(silent);
}

async function smallBody(incoming: IncomingMessage): Promise<Buffer> {
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) incoming.destroy(new ServiceError('payload_too_large', 'The body is larger than 64 KB'));
  });
  return buffer(incoming);
}

/** The answer of all cells in which the token is valid; of a list in pages, the next page of the cell at which it stands. */
async function answerAll(
  { incoming, outgoing, url }: Call,
  { cells, silent }: Found,
  { merging }: { merging: Merging },
) {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const ask = (cell: Cell, search: URLSearchParams) => part(cell, incoming, `${url.pathname}?${search}`, gone.signal);
  const away = silent.map((cell): CellAnswer => ({ cell, status: null, text: '' }));
  if (merging !== 'pages') {
    const answers = await Promise.all(cells.map((cell) => ask(cell, url.searchParams)));
    const refused = answers.find(({ status }) => status !== null && status !== 200);
    if (refused !== undefined) return reply(outgoing, refused.status ?? 500, 'application/json', refused.text, []);
    const all = [...answers, ...away];
    if (merging === 'metrics') return reply(outgoing, 200, 'text/plain; version=0.0.4', mergeMetrics(all), all);
    return reply(outgoing, 200, 'application/json', JSON.stringify(mergeLists(all)), all);
  }
  const from = readCursor(url.searchParams.get('cursor'), cells);
  const cell = from === null ? undefined : cells[from.at];
  if (from === null || cell === undefined)
    throw new ServiceError('validation_failed', 'query.cursor: expected the nextCursor of an earlier answer');
  const search = new URLSearchParams(url.searchParams);
  if (from.cursor === null) search.delete('cursor');
  else search.set('cursor', from.cursor);
  const answered = await ask(cell, search);
  if (answered.status !== null && answered.status !== 200) {
    return reply(outgoing, answered.status, 'application/json', answered.text, []);
  }
  const body: Record<string, unknown> = answered.status === null ? { success: true } : JSON.parse(answered.text);
  const nextCursor = cursorAfter(from.at, typeof body.nextCursor === 'string' ? body.nextCursor : null, cells);
  // What is away is told with the first page.
  const all = [answered, ...(url.searchParams.has('cursor') ? [] : away)];
  if (nextCursor !== null) {
    const next = new URLSearchParams({ ...Object.fromEntries(url.searchParams), cursor: nextCursor });
    outgoing.setHeader('Link', `<${url.pathname}?${next}>; rel="next"`);
  }
  return reply(outgoing, 200, 'application/json', JSON.stringify(withMissing({ ...body, nextCursor }, all)), all);
}

/** What a cell says; a cell that fails or takes too long has not answered. */
async function part(cell: Cell, incoming: IncomingMessage, path: string, gone: AbortSignal): Promise<CellAnswer> {
  try {
    const { authorization = '' } = incoming.headers;
    const signal = AbortSignal.any([gone, AbortSignal.timeout(PART_WITHIN_MS)]);
    const response = await fetch(cell.url + path, { headers: { authorization }, signal, redirect: 'error' });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_PART_BYTES) throw new RangeError('too much for one answer');
      chunks.push(chunk);
    }
    const isFailure = response.status >= 500;
    return { cell, status: isFailure ? null : response.status, text: Buffer.concat(chunks).toString('utf8') };
  } catch {
    return { cell, status: null, text: '' };
  }
}

/** Ready when all cells are; alive as long as one is. */
async function answerHealth(cells: readonly Cell[], { incoming, outgoing, url }: Call): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const answers = await Promise.all(cells.map((cell) => part(cell, incoming, url.pathname, gone.signal)));
  const up = answers.filter(({ status }) => status === 200);
  const isWell = url.pathname === '/health' ? up.length > 0 : up.length === answers.length;
  if (!isWell) throw unavailable(answers.filter(({ status }) => status !== 200).map(({ cell }) => cell.name));
  reply(
    outgoing,
    200,
    'application/json',
    JSON.stringify({ status: 'ok', cells: up.map(({ cell }) => cell.name) }),
    answers,
  );
}

function reply(
  outgoing: ServerResponse,
  status: number,
  type: string,
  text: string,
  answers: readonly CellAnswer[],
): void {
  const missing = answers.filter((one) => one.status === null).map(({ cell }) => cell.name);
  outgoing.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(missing.length === 0 ? {} : { [MISSING_HEADER]: missing.join(', ') }),
  });
  outgoing.end(text);
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function refuse(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
  const isSilent = error instanceof CellSilent;
  const known = error instanceof ServiceError ? error : null;
  const code: ErrorCode = known?.code ?? (isSilent ? 'unavailable' : 'internal_error');
  const message = known !== null || isSilent ? (error as Error).message : 'Internal error';
  const requestId = randomUUID();
  const retry = code === 'unavailable' ? { 'Retry-After': String(known?.retryAfter ?? RETRY_AFTER_S) } : {};
  outgoing.writeHead(ERRORS[code][0], {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...retry,
  });
  outgoing.end(JSON.stringify(refusalBody(code, message, requestId)));
}
