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

const PIECE = Buffer.alloc(MB, 'x');
const CHUNK = Buffer.concat([Buffer.from('100000\r\n'), PIECE, Buffer.from('\r\n')]);
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
    for (let written = 0; written < 20; written++)
      await new Promise((resolve) => socket.write(announced === null ? CHUNK : PIECE, resolve));
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
  let megabytes = 0;
  const closed = once(socket, 'close');
  while (!socket.destroyed && megabytes < 1_000) {
    await Promise.race([new Promise((resolve) => socket.write(CHUNK, resolve)), closed]);
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

test('HTTP/1.0 needs no Host header, and an expectation that is not known is passed by: so load balancers ask', async () => {
  expect((await send('GET /health HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\n\r\n')).status).toBe(200);
  expect((await send('GET /health HTTP/1.0\r\n\r\n')).status).toBe(200);
  expect((await send('GET /health HTTP/1.0\r\nHost: x\r\n\r\n')).status).toBe(200);
  const authorization = `Authorization: Bearer ${system.token}\r\n`;
  expect((await send(`GET /devices/totals HTTP/1.0\r\n${authorization}\r\n`)).status).toBe(200);
  expect((await send('GET /devices HTTP/1.0\r\n\r\n')).status).toBe(403);
});

test.each([
  ['that is no HTTP', 'rubbish'],
  ['with a method that does not exist', 'GETT /health HTTP/1.1\r\nHost: x'],
  ['with two lengths', 'POST /enrol HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked'],
  ['with headers of 20 KB', `GET /health HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}`],
  ['without a Host header', 'GET /health HTTP/1.1'],
  ['with two Host headers', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b'],
  ['with the same Host header twice', 'GET /health HTTP/1.1\r\nHost: a\r\nhOST: a'],
  ['for a host without a name', 'GET /health HTTP/1.1\r\nHost: a b'],
  ['for an address that is none', 'GET http://[::1/ HTTP/1.1\r\nHost: x'],
])('a request %s is refused in the words of the contract', async (_, head) => {
  const { status, body } = await send(`${head}\r\n\r\n`);
  const said = { code: 'validation_failed', message: expect.stringMatching(/read|Host/i) };
  expect([status, ErrorBody.parse(body)]).toMatchObject([400, said]);
});

test('guesses are slowed down by address; a token that is known to be good always passes', async () => {
  // What an address may do again comes back with time: none passes here, however slow the machine is.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const known = await system.createToken();
  expect((await system.request('GET', '/devices/totals', { token: known })).status).toBe(200);
  const statuses: number[] = [];
  for (let i = 0; i < 400; i++)
    statuses.push((await system.request('GET', '/devices', { token: `a-guess-of-a-token-${i}` })).status);
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
