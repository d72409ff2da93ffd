/** Sends prepared requests over raw connections: a client of Node.js needs more processor time than the server. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Load {
  url: string;
  /** Whole requests, which the connections send in turn. */
  requests: readonly string[];
  /** The status of every answer. */
  status: number;
  connections: number;
  /** No request is begun later than this after the beginning. */
  forMs: number;
  /** Between an answer and the next request of the connection. */
  pauseMs?: number;
  /** Begins no more requests. */
  stop?: AbortSignal;
}

export interface LoadResult {
  /** Time of each request, from before it was sent until its answer was read. */
  latenciesMs: number[];
  perSecond: number;
}

const ANSWER_WITHIN_MS = 60_000;
/** All connections share it, because what comes is read before the next data is received. */
const RECEIVED = Buffer.allocUnsafe(64 * 1024);

/** @throws {Error} for an answer with another status, or none */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { connections, forMs, pauseMs = 0, stop } = load;
  const requests = load.requests.map((text) => Buffer.from(text));
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(load.url)));
  let next = 0;
  const ask = async ({ ask: send }: Connection) => {
    const status = await send(requests[next++ % requests.length] ?? Buffer.alloc(0));
    if (status !== load.status) throw new Error(`Expected answers with the status ${load.status}, got ${status}`);
  };
  try {
    await Promise.all(open.map(ask)); // The first answer on a connection takes longer.
    const latenciesMs: number[] = [];
    const startedAt = performance.now();
    await Promise.all(
      open.map(async (connection) => {
        for (;;) {
          const askedAt = performance.now();
          if (askedAt - startedAt > forMs || stop?.aborted) return;
          await ask(connection);
          latenciesMs.push(performance.now() - askedAt);
          if (pauseMs > 0) await sleep(pauseMs);
        }
      }),
    );
    return { latenciesMs, perSecond: (latenciesMs.length / (performance.now() - startedAt)) * 1_000 };
  } finally {
    for (const connection of open) connection.close();
  }
}

/** Generates load until the work is done. */
export async function loadDuring<T>(load: Omit<Load, 'forMs' | 'stop'>, work: () => Promise<T>) {
  const stop = new AbortController();
  const running = runLoad({ ...load, forMs: Number.POSITIVE_INFINITY, stop: stop.signal });
  running.catch(() => {}); // Awaited below, unless the work fails.
  try {
    const done = await work();
    stop.abort();
    return { done, ...(await running) };
  } finally {
    stop.abort();
  }
}

interface Connection {
  /** @returns the status of the answer */
  ask(request: Buffer): Promise<number>;
  close(): void;
}

function openConnection(url: string): Promise<Connection> {
  const { hostname: host, port } = new URL(url);
  let waiting: { resolve(status: number): void; reject(error: Error): void } | null = null;
  let read: (bytes: Buffer) => number | null = readAnswer();
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(error);
      waiting?.reject(error);
    };
    const socket = connect({
      host,
      port: Number(port),
      noDelay: true,
      // Bypasses the stream of the socket, which would cost more than the parser.
      onread: {
        buffer: RECEIVED,
        callback(count) {
          const status = read(RECEIVED.subarray(0, count));
          if (status !== null) waiting?.resolve(status);
          return true;
        },
      },
    });
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('error', fail);
    socket.once('close', () => fail(new Error('A connection ended before its answer')));
    const ask = (request: Buffer) =>
      new Promise<number>((resolve, reject) => {
        waiting = { resolve, reject };
        read = readAnswer();
        socket.write(request);
      });
    socket.once('connect', () => resolve({ ask, close: () => socket.destroy() }));
  });
}

const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Reads one answer, only as far as its end has to be found (RFC 9112 section 6). Nothing follows it before the next
 * request, so chunks have ended when what has come ends as the last of them does.
 * @returns what takes the bytes as they come, and returns the status when they were the last ones
 */
function readAnswer(): (bytes: Buffer) => number | null {
  let head = '';
  let status = 0;
  let left: number | null = null;
  let tail = '';
  return (bytes) => {
    let body = bytes.length;
    if (status === 0) {
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return null;
      body = head.length - end - 4;
      status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1];
      if (status === 304) left = 0;
      else if (length !== undefined) left = Number(length);
    }
    if (left === null)
      tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length);
    else left -= body;
    return left === 0 || tail === LAST_CHUNK ? status : null;
  };
}

export interface PreparedRequest {
  token?: string;
  site?: string;
  headers?: Record<string, string>;
  json?: unknown;
}

/** A request as it is sent. */
export function requestText(url: string, method: string, path: string, prepared: PreparedRequest = {}): string {
  const { token, site, json, headers } = prepared;
  const body = json === undefined ? '' : JSON.stringify(json);
  const all: Record<string, string> = {
    Host: new URL(url).host,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(site === undefined ? {} : { 'X-Site': site }),
    ...(json === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
