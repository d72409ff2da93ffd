import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listenOnLoopback } from '../support/loopback.ts';
import { loadDuring, requestText, runLoad } from './load.ts';

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
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  return {
    seen,
    load: (path: string, status = 200) => {
      return { url, requests: [requestText(url, 'GET', path)], status, connections: 3, forMs: 200 };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

test.for([
  ['/', 200],
  ['/chunks', 200],
  ['/unchanged', 304],
] as const)('every answer of %s is read to its end and counted', async ([path, status]) => {
  await using server = await startServer();
  const { latenciesMs } = await runLoad(server.load(path, status));
  expect(latenciesMs).not.toEqual([]);
  // The first of each connection does not count.
  expect(server.seen).toHaveLength(latenciesMs.length + 3);
});

test('an unexpected status or a cut connection ends the load', async () => {
  await using server = await startServer();
  await expect(runLoad(server.load('/unchanged'))).rejects.toThrow('Expected answers with the status 200, got 304');
  await expect(runLoad(server.load('/cut'))).rejects.toThrow('A connection ended before its answer');
});

test('a load lasts as long as the work, and what fails in it is told', async () => {
  await using server = await startServer();
  const { done, latenciesMs } = await loadDuring(server.load('/'), async () => {
    await expect.poll(() => server.seen.length).toBeGreaterThan(10);
    return 'done';
  });
  expect([done, latenciesMs.length]).toEqual(['done', server.seen.length - 3]);
  await expect(loadDuring(server.load('/'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
