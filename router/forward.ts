/** Passes a request on to a cell, and its answer back, as they come: files, streams of events and refusals alike. */
import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import type { Cell } from './config.ts';

/** Longer than the longest wait for a command, and than the pause between two heartbeats of a stream. */
const SILENT_FOR_MS = 300_000;
const MAX_SOCKETS = 2_000;
const agents = {
  http: new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
  https: new TlsAgent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
};

/** Those of one connection, and not of what goes over it (RFC 9110 section 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** A cell did not answer. Nothing was sent to the client. */
export class CellSilent extends Error {
  override name = 'CellSilent';
}

export interface Passing {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** Of the request, behind the base URL of the cell. */
  path: string;
  /** What was read of the body already; undefined when it is passed on as it comes. */
  body?: Buffer;
  /** Whether the answer is to be given up, so that another cell can be asked. Asked once, before anything is sent. */
  passesOver?(status: number): boolean;
}

/**
 * @returns the status, when the answer was sent or given up
 * @throws {CellSilent}
 */
export function forward({ url, name }: Cell, { incoming, outgoing, path, body, passesOver }: Passing): Promise<number> {
  const target = new URL(url + path);
  const isTls = target.protocol === 'https:';
  const headers = headersFor(incoming, target, body);
  return new Promise((resolve, reject) => {
    const asked = (isTls ? httpsRequest : httpRequest)(target, {
      method: incoming.method,
      headers,
      agent: isTls ? agents.https : agents.http,
      timeout: SILENT_FOR_MS,
    });
    let isAnswered = false;
    const fail = (error: Error) => {
      if (isAnswered) outgoing.destroy();
      else reject(new CellSilent(`The cell ${name} does not answer`, { cause: error }));
    };
    asked.once('timeout', () => asked.destroy(new Error('it has said nothing for too long')));
    asked.on('error', fail);
    outgoing.once('close', () => outgoing.writableFinished || asked.destroy());
    asked.once('response', (answer) => {
      isAnswered = true;
      const status = answer.statusCode ?? 502;
      if (passesOver?.(status)) {
        answer.resume();
        return resolve(status);
      }
      outgoing.writeHead(status, answerHeaders(answer.headers, new URL(url).pathname));
      answer.once('error', fail);
      answer.pipe(outgoing);
      outgoing.once('close', () => resolve(status));
    });
    if (body === undefined) incoming.pipe(asked);
    else asked.end(body);
  });
}

function headersFor(incoming: IncomingMessage, target: URL, body: Buffer | undefined): IncomingHttpHeaders {
  const headers = { ...incoming.headers };
  for (const name of [...HOP_BY_HOP, 'x-cell']) delete headers[name];
  const before = headers['x-forwarded-for'];
  const client = incoming.socket.remoteAddress ?? '';
  headers['x-forwarded-for'] = before === undefined ? client : `${before}, ${client}`;
  headers.host = target.host;
  if (body !== undefined) headers['content-length'] = String(body.length);
  return headers;
}

/** Links lead to the router, which has no prefix. */
function answerHeaders(headers: IncomingHttpHeaders, prefix: string): IncomingHttpHeaders {
  const passed = { ...headers };
  for (const name of HOP_BY_HOP) delete passed[name];
  if (prefix !== '/' && typeof passed.link === 'string') passed.link = passed.link.replaceAll(`<${prefix}/`, '</');
  return passed;
}
