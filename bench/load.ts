/**
 * Sends prepared requests over raw connections and times the answers. Each connection sends its next request when it has
 * read the last answer.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerReader, type HttpAnswer } from './answer-reader.ts';

export interface Load {
  host: string;
  port: number;
  /** Whole requests, which the connections send in turn. */
  requests: string[];
  connections: number;
  /** First requests of each connection that are answered before the measurement begins. */
  warmUp: number;
  /** No request is begun later than this after the beginning. */
  forMs: number;
  /** Most requests of each connection after the warm-up; null for any number. */
  perConnection: number | null;
  /** Between an answer and the next request of the connection. */
  pauseMs: number;
}

export interface LoadResult {
  /** Answers by status, with those of the warm-up. */
  statuses: Record<string, number>;
  /** Connections that could not be opened, or ended or fell silent before an answer. */
  failed: number;
  /** Time of each request after the warm-up, from before it was sent until its answer was read. */
  latenciesMs: number[];
  /** From the end of the warm-up to the last answer. */
  elapsedMs: number;
}

/** So many connections are opened at the same time; the queue of a server for new ones is limited. */
const OPEN_AT_ONCE = 100;
const ANSWER_WITHIN_MS = 60_000;
/** All connections share it, because what comes is read before the next data is received. */
const RECEIVED = Buffer.allocUnsafe(64 * 1024);

/** @param stop begins no more requests */
export async function runLoad(load: Load, stop: AbortSignal): Promise<LoadResult> {
  const requests = load.requests.map((text) => Buffer.from(text));
  const result: LoadResult = { statuses: {}, failed: 0, latenciesMs: [], elapsedMs: 0 };
  const open = new Set<Connection>();
  let next = 0;

  async function ask(connection: Connection): Promise<boolean> {
    const request = requests[next++ % requests.length];
    const answer = request === undefined ? null : await connection.ask(request);
    if (answer === null) {
      open.delete(connection);
      result.failed++;
      return false;
    }
    result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
    return true;
  }

  try {
    for (let at = 0; at < load.connections; at += OPEN_AT_ONCE) {
      const count = Math.min(OPEN_AT_ONCE, load.connections - at);
      const opened = await Promise.all(Array.from({ length: count }, () => openConnection(load)));
      for (const connection of opened) {
        if (connection === null) result.failed++;
        else open.add(connection);
      }
    }
    await Promise.all(
      [...open].map(async (connection) => {
        for (let i = 0; i < load.warmUp; i++) if (!(await ask(connection))) return;
      }),
    );
    const startedAt = performance.now();
    let lastAt = startedAt;
    await Promise.all(
      [...open].map(async (connection) => {
        for (let i = 0; i < (load.perConnection ?? Number.POSITIVE_INFINITY); i++) {
          const askedAt = performance.now();
          if (askedAt - startedAt > load.forMs || stop.aborted) return;
          if (!(await ask(connection))) return;
          lastAt = performance.now();
          result.latenciesMs.push(Math.round((lastAt - askedAt) * 1_000) / 1_000);
          if (load.pauseMs > 0) await sleep(load.pauseMs);
        }
      }),
    );
    return { ...result, elapsedMs: lastAt - startedAt };
  } finally {
    for (const connection of open) connection.close();
  }
}

interface Connection {
  /** Null when the connection ended, or was silent for a minute, or sent what is no answer. */
  ask(request: Buffer): Promise<HttpAnswer | null>;
  close(): void;
}

/** Null when it cannot be opened. */
function openConnection({ host, port }: Load): Promise<Connection | null> {
  return new Promise((resolve) => {
    let answered: ((answer: HttpAnswer | null) => void) | null = null;
    const settle = (answer: HttpAnswer | null) => {
      const waiting = answered;
      answered = null;
      waiting?.(answer);
    };
    const reader = new AnswerReader(settle);
    const socket: Socket = connect({
      host,
      port,
      noDelay: true,
      // Passes by the stream of the socket, which would cost more than the parser.
      onread: {
        buffer: RECEIVED,
        callback(count) {
          try {
            reader.read(RECEIVED.subarray(0, count));
          } catch {
            socket.destroy();
          }
          return true;
        },
      },
    });
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('error', () => {}); // `close` follows.
    socket.once('close', () => {
      resolve(null);
      settle(null);
    });
    socket.once('connect', () =>
      resolve({
        ask: (request) =>
          new Promise((done) => {
            if (socket.destroyed) return done(null);
            answered = done;
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
  });
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
