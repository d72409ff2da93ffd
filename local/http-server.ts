/** The HTTP server of one machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';

const HEADERS_WITHIN_MS = 20_000;
/** For a whole request: an import of 10 MB over a slow line. */
const REQUEST_WITHIN_MS = 120_000;
/** Above the idle times of common reverse proxies, which otherwise send into a connection that we are closing. */
const KEEP_ALIVE_MS = 65_000;
const FINISH_WITHIN_MS = 3_000;

export interface HttpServer {
  readonly port: number;
  /** Takes no more requests, lets those under way finish for three seconds, then cuts them. */
  close(): Promise<void>;
}

/**
 * @param port 0 takes a free one
 * @throws the error of the system, such as EADDRINUSE, when it cannot listen
 */
export async function startHttpServer(
  answer: (request: Request) => Response | Promise<Response>,
  host: string,
  port: number,
): Promise<HttpServer> {
  const server = createServer(
    {
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    },
    getRequestListener(answer),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const cut = setTimeout(() => server.closeAllConnections(), FINISH_WITHIN_MS);
    await closed;
    clearTimeout(cut);
  }
  let closing: Promise<void> | null = null;

  return { port: (server.address() as AddressInfo).port, close: () => (closing ??= close()) };
}
