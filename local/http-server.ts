/** The HTTP server of one machine. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { ERRORS, refusalBody, validationError } from '../functions/http/errors.ts';
import { type ErrorCode, type FieldError, ServiceError } from '../shared/errors.ts';
import { boundPlaces, type PlaceLimits } from './http-places.ts';

/** 2,000 simultaneous readers, and room for others. An idle connection takes some 20 KB. */
export const MAX_CONNECTIONS = 2_500;
/** The share of all connections that one address may have. */
const PART_OF_ADDRESS = 0.4;
/** Limits of reading and discarding the rest of a request that was answered before it was complete. */
const LINGER = { ms: 30_000, bytes: 64 * 1024 * 1024 };

export interface HttpServer {
  readonly port: number;
  /** Accepts no more requests, gives those in progress three seconds, then aborts them. */
  close(): Promise<void>;
}

/**
 * @param answer gets the request, and that of Node.js
 * @param port 0 selects a free one
 * @param options.onProblem called when the server cannot accept connections, such as without file descriptors; it continues
 * @throws the system error, such as EADDRINUSE, when it cannot listen
 */
export async function startHttpServer(
  answer: (request: Request, env: object) => Response | Promise<Response>,
  host: string,
  port: number,
  {
    maxConnections = MAX_CONNECTIONS,
    isProxy = () => false,
    onProblem = () => {},
  }: Partial<Pick<PlaceLimits, 'maxConnections' | 'isProxy'>> & { onProblem?: (error: Error) => void } = {},
): Promise<HttpServer> {
  const latest = new WeakMap<Socket, { incoming: IncomingMessage; outgoing: ServerResponse }>();
  const listener = getRequestListener(
    (request, env) => {
      requireOneHost(env.incoming);
      return answer(request, env);
    },
    { errorHandler: rejectInvalid },
  );
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    latest.set(incoming.socket, { incoming, outgoing });
    nameHost(incoming);
    return listener(incoming, outgoing);
  };
  const server = createServer(
    {
      headersTimeout: 20_000,
      requestTimeout: 120_000, // An import of 10 MB over a slow line.
      // Longer than the idle timeouts of common reverse proxies, which would otherwise send on a closing connection.
      keepAliveTimeout: 65_000,
      noDelay: true,
      requireHostHeader: false, // The adapter checks it instead, because Node.js would answer without a body.
    },
    onRequest,
  );
  // Ignores unknown expectations (RFC 9110 section 10.1.1).
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket) => {
    const { outgoing } = latest.get(socket as Socket) ?? {};
    // The client would take it for the rest of a response that has started.
    const isAnswering = outgoing?.headersSent && !outgoing.writableFinished;
    if (socket.writable && !isAnswering) socket.write(refusalOnWire(error));
    socket.destroy();
  });
  const perAddress = Math.ceil(maxConnections * PART_OF_ADDRESS);
  boundPlaces(server, { maxConnections, perAddress, firstByteMs: 5_000, isProxy });
  server.on('connection', (socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    let isLingering = false;
    // Node.js calls it after the response, on a connection that it does not reuse.
    socket.destroySoon = () => {
      if (isLingering) return;
      isLingering = latest.get(socket)?.incoming.complete === false;
      if (isLingering) closeWhenSent(socket);
      else destroySoon();
    };
  });
  await new Promise<void>((resolve, reject) => {
    // Permanent: a later failure to accept a connection must not end the process.
    let isListening = false;
    server.on('error', (error) => (isListening ? onProblem(error) : reject(error)));
    server.listen({ host, port, backlog: MAX_CONNECTIONS }, () => {
      isListening = true;
      resolve();
    });
  });

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const cut = setTimeout(() => server.closeAllConnections(), 3_000);
    await closed;
    clearTimeout(cut);
  }
  let closing: Promise<void> | null = null;

  return { port: (server.address() as AddressInfo).port, close: () => (closing ??= close()) };
}

/** By the error codes of Node.js; with all others the parser did not recognise HTTP. */
const UNREADABLE: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request was not received in time'],
  HPE_HEADER_OVERFLOW: [
    'validation_failed',
    `The request cannot be read: its URL and headers are larger than ${maxHeaderSize / 1024} KB`,
  ],
};
const NO_HTTP = ['validation_failed', 'The request cannot be read: it is not HTTP/1.1'] as const;

/** The raw response to a request that the parser of Node.js has rejected. */
function refusalOnWire({ code = '' }: NodeJS.ErrnoException): string {
  const { status, headers, text } = refusalOf(...(UNREADABLE[code] ?? NO_HTTP));
  const all = { ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
}

/** HTTP/1.0, as in health checks of load balancers, has no Host header (RFC 9112 section 3.2), but the adapter needs a host. */
function nameHost({ httpVersion, headers, socket }: IncomingMessage): void {
  if (httpVersion === '1.0') headers.host ||= `localhost:${socket.localPort}`;
}

/**
 * Like API Gateway in the cloud.
 * @throws {ServiceError} `validation_failed` for several Host headers (RFC 9112 section 3.2): a proxy in front might have
 *   used another one of them
 */
function requireOneHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw validationError([{ path: 'header.host', message: 'expected at most one value' }]);
}

/** The response to an invalid URL or Host header, without a call of the application. */
function rejectInvalid(error: unknown): Response {
  const { status, headers, text } = refusalOfError(error);
  return new Response(text, { status, headers });
}

function refusalOfError(error: unknown) {
  if (error instanceof ServiceError) return refusalOf(error.code, error.message, error.fields);
  if (error instanceof RequestError) {
    return refusalOf('validation_failed', `The request cannot be read: ${error.message}`);
  }
  return refusalOf('internal_error', 'Internal error');
}

function refusalOf(code: ErrorCode, message: string, fields?: readonly FieldError[]) {
  const requestId = randomUUID();
  return {
    status: ERRORS[code][0],
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
    },
    text: JSON.stringify({ ...refusalBody(code, message, requestId), ...(fields && { errors: fields }) }),
  };
}

/**
 * Closes a connection whose client is still sending (RFC 9112 section 9.6): our side at once, the other when the client has
 * closed it. With unread data at the close, the client's system would discard our response.
 */
function closeWhenSent(socket: Socket): void {
  const upTo = socket.bytesRead + LINGER.bytes;
  const timer = setTimeout(() => socket.destroy(), LINGER.ms).unref();
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => {});
  const discard = () => {
    socket.removeAllListeners('data'); // Further data is no longer a request.
    socket.on('data', () => {
      if (socket.bytesRead > upTo) socket.destroy();
    });
  };
  socket.end();
  // Node.js itself must resume reading, because its parser bypasses the stream of the socket.
  if (socket.isPaused()) socket.once('resume', discard).resume();
  else discard();
}
