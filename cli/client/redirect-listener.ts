/** Waits on this host for the browser to bring the answer of a person (RFC 8252, section 7.3). */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred } from '../../shared/async.ts';
import { Failure } from './failure.ts';

const HOST = '127.0.0.1';
const PATH = '/callback';
/** How long a person may take to agree. The service waits for ten minutes. */
const WAITS_MS = 5 * 60_000;

interface RedirectListener {
  /** Where the browser is sent; only this host reaches it. */
  uri: string;
  /**
   * What the browser has brought: the first request with the right state, and no other.
   * @throws {Failure} when there was none in time
   */
  answer: Promise<URLSearchParams>;
  close(): void;
}

/** @param state a secret, so that no other page can forge an answer */
export async function listenForRedirect(state: string): Promise<RedirectListener> {
  const { promise: answer, resolve, reject } = deferred<URLSearchParams>();
  let isAnswered = false;
  const server = createServer((request, response) => {
    const query = queryOf(request.url ?? '');
    if (request.method !== 'GET' || query?.get('state') !== state || isAnswered) {
      return show(response, 400, 'This is not the answer that lanreach waits for.');
    }
    isAnswered = true;
    response.once('close', () => resolve(query)); // The page is out before the caller can end.
    show(response, 200, 'Go back to the command line. You can close this page.');
  });
  server.listen(0, HOST);
  await once(server, 'listening').catch((cause: Error) => {
    throw new Failure('failure', `Cannot wait for the browser: ${cause.message}`, { cause });
  });
  const { port } = server.address() as AddressInfo;
  const timer = setTimeout(() => {
    const message = `No answer has come from the browser within ${WAITS_MS / 60_000} minutes. Begin again with: lanreach login`;
    reject(new Failure('auth', message));
  }, WAITS_MS);
  answer.catch(() => {}); // It may come while the caller still waits for the service.
  return {
    uri: `http://${HOST}:${port}${PATH}`,
    answer,
    close() {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Null where it is not the address that was given to the service. */
function queryOf(target: string): URLSearchParams | null {
  const [path, query] = target.split('?');
  return path === PATH && query !== undefined ? new URLSearchParams(query) : null;
}

function show(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(`<!doctype html>\n<html lang="en">\n<title>LanReach</title>\n<p>${text}</p>\n</html>\n`);
}
