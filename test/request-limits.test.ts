/** What a single machine has to see to itself that API Gateway does in the cloud: too much, too often, too large. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorBody } from '../shared/errors.ts';
import { testApi } from './support/test-api.ts';

const MB = 1024 * 1024;

const system = testApi({ listens: true });
afterEach(() => void vi.restoreAllMocks());

function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port) });
}

/** The head of an upload of so many bytes; null for one in chunks. */
function uploadHead(bytes: number | null, token: string): string {
  const length = bytes === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  return `POST /devices/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
}

/** Everything that comes until the other side closes; rejects when the connection breaks. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  return text;
}

/** One request written by hand, on a connection of its own. */
async function send(text: string): Promise<{ status: number; body: unknown }> {
  const socket = open(system.url);
  socket.write(text.replace(/\r\n\r\n/, '\r\nConnection: close\r\n\r\n'));
  const answer = await readAll(socket);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  return { status, body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')) || 'null') };
}

test.each([
  ['announced', 20 * MB],
  ['in chunks', null],
])('who goes on writing a body that is too large gets the 413 nevertheless: %s', async (_, announced) => {
  for (let n = 0; n < 3; n++) {
    const socket = open(system.url);
    const failures: Error[] = [];
    socket.on('error', (error) => failures.push(error));
    socket.pause();
    socket.write(uploadHead(announced, system.token));
    const piece = Buffer.alloc(MB, 'x');
    for (let written = 0; written < 20; written++) {
      const chunk = announced === null ? Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]) : piece;
      await new Promise((resolve) => socket.write(chunk, resolve));
    }
    if (announced === null) socket.write('0\r\n\r\n');
    const answer = await readAll(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"payload_too_large"');
    expect(failures).toEqual([]);
  }
});

test('who never stops writing is cut off', async () => {
  const socket = open(system.url);
  socket.on('error', () => {});
  socket.write(uploadHead(null, system.token));
  const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MB, 'x'), Buffer.from('\r\n')]);
  let megabytes = 0;
  const closed = once(socket, 'close');
  while (!socket.destroyed && megabytes < 1_000) {
    await Promise.race([new Promise((resolve) => socket.write(piece, resolve)), closed]);
    megabytes++;
  }
  expect(megabytes).toBeGreaterThan(10);
  expect(megabytes).toBeLessThan(200);
});

test('a second request behind one that was refused in the middle of its body is not carried out', async () => {
  const socket = open(system.url);
  socket.write(uploadHead(20 * MB, system.token));
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.write(Buffer.alloc(20 * MB, 'x'));
  socket.write(`POST /sites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${system.token}\r\n`);
  socket.write('Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{"id":"smuggled"}');
  expect((await readAll(socket)).match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect((await system.request('GET', '/sites')).text).not.toContain('smuggled');
});

test('two Host headers are 400, whatever they say', async () => {
  const head = (hosts: string) => `GET /health HTTP/1.1\r\n${hosts}\r\n\r\n`;
  expect((await send(head('Host: a'))).status).toBe(200);
  for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhOST: a']) {
    const { status, body } = await send(head(hosts));
    expect([status, ErrorBody.parse(body)]).toMatchObject([
      400,
      { code: 'validation_failed', errors: [{ path: 'header.host' }] },
    ]);
  }
});

test('HTTP/1.0 needs no Host header, on any route: health checks of load balancers send none', async () => {
  expect((await send('GET /health HTTP/1.0\r\n\r\n')).status).toBe(200);
  expect((await send('GET /health HTTP/1.0\r\nHost: x\r\n\r\n')).status).toBe(200);
  const authorization = `Authorization: Bearer ${system.token}\r\n`;
  expect((await send(`GET /devices/totals HTTP/1.0\r\n${authorization}\r\n`)).status).toBe(200);
  expect((await send('GET /devices HTTP/1.0\r\n\r\n')).status).toBe(403);
});

test.each([
  ['that is no HTTP', 'rubbish\r\n\r\n', 400, 'validation_failed'],
  ['with a method that does not exist', 'GETT /health HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'validation_failed'],
  [
    'with two lengths',
    'POST /enrol HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
    'validation_failed',
  ],
  [
    'with headers of 20 KB',
    `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    400,
    'validation_failed',
  ],
  ['without a Host header', 'GET /health HTTP/1.1\r\n\r\n', 400, 'validation_failed'],
  ['for a host without a name', 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'validation_failed'],
  ['for an address that is none', 'GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'validation_failed'],
])('a request %s is refused in the words of the contract', async (_, text, expected, code) => {
  const { status, body } = await send(text);
  expect([status, ErrorBody.parse(body)]).toMatchObject([expected, { code, message: expect.stringContaining('read') }]);
});

test('an expectation that is not known is passed by', async () => {
  const { status } = await send('GET /health HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\n\r\n');
  expect(status).toBe(200);
});

test('guesses are slowed down by address; a token that is known to be good always passes', async () => {
  // What an address may do again comes back with time: none passes here, however slow the machine is.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const known = await system.createToken();
  expect((await system.request('GET', '/devices/totals', { token: known })).status).toBe(200);
  const guess = async (n: number) => system.request('GET', '/devices', { token: `a-guess-of-a-token-${n}` });
  const statuses: number[] = [];
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => guess(round * 20 + i)));
    statuses.push(...answers.map(({ status }) => status));
  }
  expect(statuses[0]).toBe(403);
  expect(statuses.filter((status) => status === 403).length).toBeLessThan(350);
  const slowed = await system.measured('GET', '/devices', { token: 'another-guess-of-a-token' });
  expect([slowed.status, slowed.json]).toMatchObject([429, { code: 'too_many_requests' }]);
  expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(slowed.consumed).toEqual({ readUnits: 0, writeUnits: 0 });
  const enrolment = await system.request('POST', '/enrol', { token: null, body: { code: 'lre_x', csr: 'x' } });
  expect(enrolment.status).toBe(429);
  expect((await system.request('GET', '/devices/totals', { token: known })).status).toBe(200);
  expect((await system.request('GET', '/devices/totals')).status).toBe(200);
  expect((await system.request('GET', '/health/ready', { token: null })).status).toBe(200);
  // This folder has no console, but the server hands it out.
  expect((await system.request('GET', '/console/', { token: null })).status).toBe(503);
  const warnings = system.logged.filter(({ level, msg }) => level >= 40 && msg.includes('rate-limited'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({ address: '127.0.0.1', requests: expect.any(Number) });
});

test('half-sent bodies of 10 MB: a few have room, some wait, the others are 503, and short requests go through', async () => {
  const residentMb = () => process.memoryUsage.rss() / MB;
  const before = residentMb();
  const sockets = Array.from({ length: 36 }, () => open(system.url).setEncoding('latin1'));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  const answers = new Map<Socket, string>();
  const most = Buffer.alloc(9 * MB, 'x');
  for (const socket of sockets) {
    socket.on('error', () => {}).on('data', (text) => answers.set(socket, `${answers.get(socket) ?? ''}${text}`));
    socket.write(uploadHead(10 * MB, system.token));
    socket.write(most);
  }
  // 8 are received, and 24 wait.
  await expect.poll(() => answers.size).toBe(sockets.length - 8 - 24);
  for (const answer of answers.values()) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^retry-after: \d+\r$/im);
    expect(answer).toContain('"code":"busy"');
  }
  const search = await system.request('POST', '/devices/search', { body: { query: 'nas' } });
  expect(search.status).toBe(200);
  expect(residentMb() - before).toBeLessThan(300);
});
