import { createServer, type RequestListener } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
import { streamFetch } from './stream-fetch.ts';

async function answering(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return new URL(`http://127.0.0.1:${port}/`);
}

const signal = () => AbortSignal.timeout(30_000);

test('a reader that is slower than the network gets every byte, and the sender waits for it', async () => {
  const chunk = Buffer.alloc(64 * 1_024, 7);
  const chunks = 400;
  let written = 0;
  const url = await answering(async (request, response) => {
    expect([request.method, request.headers['x-one']]).toEqual(['POST', '1']);
    response.setHeader('content-type', 'application/gzip');
    for (let i = 0; i < chunks; i++) {
      written += chunk.length;
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end();
  });
  const response = await streamFetch(url, { method: 'POST', headers: { 'x-one': '1' }, signal: signal() });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  let [read, ahead] = [0, 0];
  for await (const bytes of response.body ?? []) {
    read += bytes.length;
    ahead = Math.max(ahead, written - read);
    await turn();
  }
  expect(read).toBe(chunks * chunk.length);
  // What lies between is in buffers of the kernel, not in those of this process.
  expect(ahead).toBeLessThan(read / 2);
});

test('a redirect, a refused connection and one that breaks are errors that say so', async () => {
  const redirecting = await answering((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  await expect(streamFetch(redirecting, { signal: signal() })).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { message: 'unexpected redirect (302)' },
  });
  const closed = new URL('http://127.0.0.1:9/');
  await expect(streamFetch(closed, { signal: signal() })).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  const breaking = await answering((_, response) => {
    response.setHeader('content-length', '100');
    response.write('x', () => response.destroy());
  });
  await expect(streamFetch(breaking, { signal: signal() }).then((each) => each.text())).rejects.toThrow();
});

test('a signal ends it with its reason, and an answer without a body has none', async () => {
  const silent = await answering(() => {});
  const reason = new DOMException('silent', 'TimeoutError');
  await expect(streamFetch(silent, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const empty = await answering((_, response) => response.writeHead(204).end());
  expect((await streamFetch(empty, { signal: signal() })).body).toBeNull();
});
