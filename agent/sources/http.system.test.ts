import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { makeTestAuthority } from '../../test/support/test-authority.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { type HttpOptions, type Pins, sendHttp } from './http.ts';
import { LOCKOUT_MS, SourceFailure, type SourceHttpRequest } from './source.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function listen(server: Server): Promise<number> {
  servers.push(server);
  return listenOnLoopback(server);
}

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`;

function send(
  request: SourceHttpRequest,
  changes: Partial<HttpOptions> & { policy?: unknown } = {},
  signal = AbortSignal.timeout(60_000),
) {
  const { policy = {}, ...others } = changes;
  return sendHttp(request, { rules: parsePolicy(policy).sources, pins: new Map(), mayPin: false, ...others }, signal);
}

/** The failure of a request that must fail. */
async function failure(...args: Parameters<typeof send>): Promise<SourceFailure> {
  const error: unknown = await send(...args).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SourceFailure);
  return error as SourceFailure;
}

test('a request arrives as it was given, and any status is an answer', async () => {
  const url = await serve(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method, url: path, headers } = request;
    response.writeHead(403, { 'set-cookie': ['a=1', 'b=2'], 'x-csrf-token': 'token' });
    response.end(JSON.stringify({ method, path, body: Buffer.concat(pieces).toString(), ...headers }));
  });
  const { port } = new URL(url);
  const basic = { user: 'reader', password: 'pass:wörd' };
  const answer = await send({ url: `${url}/a?b=c`, method: 'POST', headers: { 'x-key': 'secret' }, body: 'ü', basic });
  expect(answer).toMatchObject({ status: 403, cookies: ['a=1', 'b=2'] });
  expect(answer.headers['x-csrf-token']).toBe('token');
  expect(JSON.parse(answer.body)).toMatchObject({
    ...{ method: 'POST', path: '/a?b=c', body: 'ü', 'x-key': 'secret', 'content-length': '2' },
    host: `127.0.0.1:${port}`,
    authorization: `Basic ${Buffer.from('reader:pass:wörd').toString('base64')}`,
  });
});

test('redirects are followed within a host and port only', async () => {
  let seen = 0;
  const other = await serve((_, response) => {
    seen++;
    response.end();
  });
  const url = await serve((request, response) => {
    const locations = new Map(Object.entries({ here: '/there', out: `${other}/`, loop: '/loop', bad: 'http://' }));
    const location = locations.get(request.url?.slice(1) ?? '');
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location });
    response.end(request.url);
  });
  expect((await send({ url: `${url}/here` })).body).toBe('/there');
  expect((await failure({ url: `${url}/out` })).message).toContain(`redirects to ${other}, which is not followed`);
  expect((await failure({ url: `${url}/loop` })).message).toContain('redirects without end');
  expect((await failure({ url: `${url}/bad` })).message).toContain('redirects to an invalid URL');
  expect((await send({ url: `${url}/out`, method: 'POST' })).status).toBe(302);
  expect(seen).toBe(0);
});

test('429 waits for a quarter of an hour, or for longer if the product demands it', async () => {
  const waits: (string | undefined)[] = [undefined, '5', '3600', 'Thu, 01 Jan 1970 00:00:00 GMT', '99999999'];
  const url = await serve((_, response) => {
    const wait = waits.shift();
    response.writeHead(429, wait === undefined ? {} : { 'retry-after': wait }).end();
  });
  const found: number[] = [];
  while (waits.length > 0) found.push((await failure({ url })).waitMs);
  expect(found).toEqual([LOCKOUT_MS, LOCKOUT_MS, 3_600_000, LOCKOUT_MS, 86_400_000]);
});

test('an answer that hangs, breaks off, is too long, or is none, is a failure', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/hang') return;
    if (request.url === '/slow') return void response.write('a');
    if (request.url === '/break') {
      response.writeHead(200, { 'content-length': '100' });
      return void response.write('a', () => response.destroy());
    }
    const piece = Buffer.alloc(1024 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  });
  for (const path of ['/hang', '/slow'])
    expect((await failure({ url: url + path }, { timeoutMs: 300 })).message).toMatch(/did not answer within 0.3 s$/);
  expect((await failure({ url: `${url}/break` })).message).toMatch(/aborted|broke off/);
  expect((await failure({ url: `${url}/endless` })).message).toContain('is longer than 8 MiB');
  const ssh = await listen(createTcpServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH\r\n')));
  await failure({ url: `http://127.0.0.1:${ssh}` });
  await failure({ url: `https://127.0.0.1:${ssh}` });
  expect((await failure({ url: 'http://127.0.0.1:1' })).message).toContain('ECONNREFUSED');
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  expect((await failure({ url: `${url}/hang` }, {}, stop.signal)).message).toBe('the reading was stopped');
});

test('only addresses that the policy allows are reached, whatever the name', async () => {
  let seen = 0;
  const url = await serve((_, response) => void response.end(String(seen++)));
  const refused = async (text: string, sources: object = {}) =>
    (await failure({ url: text }, { policy: { sources } })).message;
  expect(await refused('http://203.0.113.9')).toContain('does not allow the target 203.0.113.9');
  expect(await refused('http://169.254.169.254')).toContain('cloud metadata');
  expect(await refused(url, { deny: ['127.0.0.1'] })).toContain('does not allow');
  const byName = url.replace('127.0.0.1', 'localhost');
  expect(await refused(byName, { deny: ['127.0.0.0/8', '::1'] })).toContain('does not allow');
  expect(await refused(url, { enabled: false })).toContain('does not allow sources');
  const foreign = await failure({ url }, { refuse: (address) => `${address} is foreign` });
  expect(foreign.message).toBe('127.0.0.1 is foreign');
  for (const text of ['file:///etc/passwd', 'http://a:b@127.0.0.1', 'nonsense'])
    expect(await refused(text)).toContain('expected');
  expect(seen).toBe(0);
  expect((await send({ url })).body).toBe('0');
});

test('a self-signed certificate is pinned once; with another one nothing is sent', async () => {
  const [first, second] = [await makeTestAuthority(), await makeTestAuthority()];
  const { key, cert } = first.broker;
  const heard: (string | undefined)[] = [];
  const server = createTlsServer({ key, cert }, (request, response) => {
    heard.push(request.headers.authorization);
    response.end('fine');
  });
  const port = await listen(server);
  const request = { url: `https://127.0.0.1:${port}/`, basic: { user: 'reader', password: 'secret' } };
  const pins: Pins = new Map();
  expect((await failure(request, { pins })).message).toContain('that no authority vouches for: SHA-256 ');
  expect(heard).toEqual([]);
  expect((await send(request, { pins, mayPin: true })).body).toBe('fine');
  expect([...pins.keys()]).toEqual([`127.0.0.1:${port}`]);
  const [pin] = pins.values();
  expect((await send(request, { pins })).body).toBe('fine');
  server.setSecureContext(second.broker);
  const { message } = await failure(request, { pins, mayPin: true });
  expect(message).toMatch(
    /has another certificate: SHA-256 [0-9A-F:]{95}\. If it is right: lanreach-agent source test/,
  );
  expect(message).not.toContain(pin);
  expect(heard).toHaveLength(2);
});
