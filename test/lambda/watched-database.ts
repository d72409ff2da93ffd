/** In front of the database: when it had its last request, what is still under way, and an outage. */
import { createServer, request } from 'node:http';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

export interface WatchedDatabase extends AsyncDisposable {
  url: string;
  /** When the last request came (`performance.now()`). */
  readonly lastAskedAt: number;
  /** Requests that have not been answered yet. */
  readonly underWay: number;
  /** Whether it cuts every connection on which it is asked for something. */
  isDown: boolean;
}

export async function watchDatabase(endpoint: string): Promise<WatchedDatabase> {
  const server = createServer((incoming, outgoing) => {
    if (database.isDown) return void incoming.destroy();
    database.lastAskedAt = performance.now();
    database.underWay++;
    outgoing.once('close', () => database.underWay--);
    const { method = 'POST', url = '/', headers } = incoming;
    const sent = request(new URL(url, endpoint), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    sent.once('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  const database = {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    lastAskedAt: 0,
    underWay: 0,
    isDown: false,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
  return database;
}
