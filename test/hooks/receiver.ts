/** A receiver of hooks on this host, which answers as a test wants, and keeps what it was sent. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver extends AsyncDisposable {
  port: number;
  url: string;
  received: Received[];
  /** The header `webhook-id` of each request. */
  ids(): string[];
  /** How requests are answered; default: 204. Doing nothing lets the sender wait. */
  answer: (response: ServerResponse, request: Received) => void;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Receiver['answer'] =>
  (response) =>
    response.writeHead(code, headers).end();

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    receiver.answer(response, one);
  });
  const port = await listenOnLoopback(server);
  const receiver: Receiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    ids: () => received.map(({ headers }) => String(headers['webhook-id'])),
    answer: status(204),
    [Symbol.asyncDispose]: () => closeServer(server),
  };
  return receiver;
}
