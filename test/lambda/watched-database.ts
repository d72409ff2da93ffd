/** In front of the database: what it was asked for, and when last, what is still under way, and an outage. */
import { createServer, request } from 'node:http';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

export interface WatchedDatabase extends AsyncDisposable {
  url: string;
  /** The operations of all requests so far, such as GetItem, in the order in which they came. */
  readonly calls: readonly string[];
  /** When the last request came (`performance.now()`). */
  readonly lastAskedAt: number;
  /** Requests that have not been answered yet. */
  readonly underWay: number;
  /** Whether it cuts every connection on which it is asked for something. */
  isDown: boolean;
}

export async function watchDatabase(endpoint: string): Promise<WatchedDatabase> {
  const calls: string[] = [];
  let lastAskedAt = 0;
  let underWay = 0;
  let isDown = false;
  const server = createServer((incoming, outgoing) => {
    if (isDown) return void incoming.destroy();
    lastAskedAt = performance.now();
    underWay++;
    outgoing.once('close', () => underWay--);
    const { method = 'POST', url = '/', headers } = incoming;
    calls.push(String(headers['x-amz-target']).replace(/^.*\./, ''));
    const sent = request(new URL(url, endpoint), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    sent.once('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  const port = await listenOnLoopback(server);
  return {
    calls,
    url: `http://127.0.0.1:${port}`,
    get lastAskedAt() {
      return lastAskedAt;
    },
    get underWay() {
      return underWay;
    },
    get isDown() {
      return isDown;
    },
    set isDown(changed) {
      isDown = changed;
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
