import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { type Load, requestText, runLoad } from './load.ts';

/** Answers in each of the ways that have an end of their own, by the path; `/cut` ends the connection instead. */
async function startServer() {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { url = '' } = incoming;
    seen.push(url);
    if (url === '/cut') incoming.socket.destroy();
    else if (url === '/unchanged') outgoing.writeHead(304).end();
    else if (url === '/chunks') outgoing.write('a'.repeat(100_000), () => outgoing.end('b'));
    else outgoing.end('x'.repeat(200_000));
  });
  const port = await listenOnLoopback(server);
  return {
    seen,
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const never = new AbortController().signal;
const counted = { host: '127.0.0.1', connections: 3, warmUp: 1, forMs: 60_000, perConnection: 4, pauseMs: 0 };

test('every connection sends its requests in turn, and every answer is counted', async () => {
  await using server = await startServer();
  const requests = ['/', '/chunks', '/unchanged'].map((path) => requestText(server.url, 'GET', path));
  const load: Load = { ...counted, port: server.port, requests };
  const { statuses, failed, latenciesMs } = await runLoad(load, never);
  expect(statuses).toEqual({ 200: 10, 304: 5 });
  expect([failed, latenciesMs.length]).toEqual([0, 12]);
  expect(server.seen.filter((path) => path === '/chunks')).toHaveLength(5);
});

test('a connection that ends before its answer has failed, and sends no more', async () => {
  await using server = await startServer();
  const load: Load = { ...counted, port: server.port, requests: [requestText(server.url, 'GET', '/cut')], warmUp: 0 };
  expect(await runLoad(load, never)).toMatchObject({ statuses: {}, failed: 3, latenciesMs: [] });
  expect(server.seen).toHaveLength(3);
});

test('a connection that cannot be opened has failed', async () => {
  const { port } = await (async () => {
    await using server = await startServer();
    return server;
  })();
  expect(await runLoad({ ...counted, port, requests: [''] }, never)).toMatchObject({ failed: 3 });
});

test('a load that is stopped begins no more requests', async () => {
  await using server = await startServer();
  const stop = new AbortController();
  const load: Load = { ...counted, port: server.port, requests: [requestText(server.url, 'GET', '/')] };
  const running = runLoad({ ...load, perConnection: null, pauseMs: 1 }, stop.signal);
  await expect.poll(() => server.seen.length).toBeGreaterThan(10);
  stop.abort();
  const { statuses } = await running;
  expect(statuses).toEqual({ 200: server.seen.length });
});
