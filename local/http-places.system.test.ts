/** Connections to the HTTP server that keep others out, if they could. */
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type HttpServer, startHttpServer } from './http-server.ts';

const PLACES = 50;
const ONE_ADDRESS = 20;
const PROXY = '127.0.0.7';

let server: HttpServer;
const sockets: Socket[] = [];
let endStreams: AbortController;

beforeEach(async () => {
  endStreams = new AbortController();
  const stream = () =>
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('begun\n'));
        endStreams.signal.addEventListener('abort', () => controller.close());
      },
    });
  const answer = ({ url }: Request) => new Response(url.endsWith('/stream') ? stream() : 'well');
  server = await startHttpServer(answer, '127.0.0.1', 0, {
    maxConnections: PLACES,
    isProxy: (address) => address === PROXY,
  });
});
afterEach(async () => {
  endStreams.abort();
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

/** A connection that says nothing, or no more than `text`. */
async function open(localAddress: string, text = ''): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: server.port, localAddress });
  socket.on('error', () => {}).resume();
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  if (text !== '') socket.write(text);
  return socket;
}

const fill = (from: string, count: number, text = '') =>
  Promise.all(Array.from({ length: count }, () => open(from, text)));
const isOpen = (socket: Socket) => !socket.closed && !socket.readableEnded;

/** @returns the status, or the error */
function request(localAddress: string, path = '/'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: server.port, path, localAddress, agent: false }, resolve).on('error', reject);
  });
}
async function asks(from: string): Promise<number | undefined> {
  const { statusCode } = await request(from);
  return statusCode;
}

test.each([
  ['nothing', ''],
  ['half a header', 'GET / HTTP/1.1\r\nHost: a'],
])('one address that sends %s keeps no other out, nor itself', async (_, text) => {
  for (let round = 0; round < 3; round++) {
    await fill('127.0.0.2', PLACES, text);
    for (let i = 0; i < 5; i++) expect(await asks('127.0.0.9')).toBe(200);
    expect(await asks('127.0.0.2')).toBe(200);
  }
  await vi.waitUntil(() => sockets.filter(isOpen).length <= ONE_ADDRESS, { timeout: 60_000 });
});

test('when all places are taken, the oldest connection without a request under way is closed', async () => {
  const streams = await Promise.all(Array.from({ length: 10 }, () => request('127.0.0.9', '/stream')));
  const addresses = [2, 3, 4, 5].map((n) => `127.0.0.${n}`);
  for (const address of addresses) await fill(address, 15);
  expect(await asks('127.0.0.8')).toBe(200);
  await vi.waitUntil(() => !isOpen(sockets[0]!), { timeout: 60_000 });
  expect(isOpen(sockets.at(-1)!)).toBe(true);
  expect(streams.map((stream) => stream.destroyed)).toEqual(streams.map(() => false));
});

test('where every connection has a request under way, a new one is refused', async () => {
  await Promise.all(Array.from({ length: ONE_ADDRESS }, () => request('127.0.0.9', '/stream')));
  await expect(asks('127.0.0.9')).rejects.toThrow();
  expect(await asks('127.0.0.8')).toBe(200);
});

test('a trusted proxy may have all places', async () => {
  const own = await fill(PROXY, PLACES);
  expect(await asks('127.0.0.9')).toBe(200);
  expect(own.filter(isOpen).length).toBeGreaterThan(ONE_ADDRESS);
});

test('a connection that says nothing is closed after five seconds, before one that has begun', async () => {
  const silent = await open('127.0.0.2');
  const begun = await open('127.0.0.2', 'GET / HTTP/1.1\r\n');
  expect(await asks('127.0.0.2')).toBe(200);
  expect(isOpen(silent)).toBe(true);
  await vi.waitUntil(() => !isOpen(silent), { timeout: 60_000 });
  expect(isOpen(begun)).toBe(true);
});
