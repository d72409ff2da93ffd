/** Probes of services on loopback: what servers do, and what a check makes of it. */

import { X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Probe } from '../../shared/agent/plan.ts';
import { TOOL_SETTINGS } from '../../test/support/agent/tool-settings.ts';
import { freePort } from '../../test/support/free-port.ts';
import { makeTestAuthority } from '../../test/support/test-authority.ts';
import { createRunProcess } from '../host/run-process.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { dns } from './dns.ts';
import { http } from './http.ts';
import { publicAddress, runProbe } from './probe.ts';

const { signal } = new AbortController();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

const meansOf = (policy: object = {}, internetInfoUrl: string | null = null) => ({
  run: createRunProcess(),
  policy: parsePolicy(policy),
  settings: { ...TOOL_SETTINGS, internetInfoUrl },
});
const find = (probe: object, policy: object = {}) => runProbe(Probe.parse(probe), meansOf(policy), signal, () => false);

const OK = { fault: null, measured: { rttMs: expect.any(Number), sent: 1, lost: 0 } };
const failed = (why: string) => ({ fault: expect.stringContaining(why), measured: { rttMs: null, sent: 1, lost: 1 } });
const refused = (why: string) => ({ fault: expect.stringContaining(why), measured: null });

test('ping and site: IPv4, IPv6 and a name of this host; what the policy refuses is not sent', async () => {
  for (const host of ['127.0.0.1', 'localhost', '::1']) {
    expect(await find({ kind: 'ping', host })).toMatchObject({ fault: null, measured: { sent: 5, lost: 0 } });
  }
  expect(await find({ kind: 'site', host: '127.0.0.1', site: 'cabin' })).toMatchObject({ fault: null });
  const policy = { checks: { deny: ['127.0.0.0/8'] } };
  expect(await find({ kind: 'ping', host: '127.0.0.1' }, policy)).toMatchObject(refused('does not allow the target'));
  expect(await find({ kind: 'ping', host: 'localhost' }, policy)).toMatchObject({ fault: null }); // By ::1.
  expect(await find({ kind: 'ping', host: '169.254.169.254' })).toMatchObject(refused('cloud metadata'));
  expect(await find({ kind: 'internet', anchors: ['169.254.169.254'] })).toMatchObject(refused('cloud metadata'));
  expect(await find({ kind: 'dns', name: 'example.org', record: 'A' }, { checks: { enabled: false } })).toMatchObject(
    refused('does not allow checks'),
  );
});

test('internet: all anchors together, and one that is refused does not count', async () => {
  expect(await find({ kind: 'internet', anchors: ['127.0.0.1', '::1', '169.254.169.254'] })).toMatchObject({
    fault: null,
    measured: { sent: 10, lost: 0, rttMs: expect.any(Number) },
  });
});

test('tcp: a port that is open, and one that is not', async () => {
  const port = await listening(createHttp());
  expect(await find({ kind: 'tcp', host: '127.0.0.1', port })).toMatchObject(OK);
  const closed = await freePort();
  expect(await find({ kind: 'tcp', host: '127.0.0.1', port: closed })).toMatchObject(
    failed(`port ${closed}: the connection was refused`),
  );
});

/** A web server with a page for each case. */
const pages: RequestListener = (request, response) => {
  switch (request.url) {
    case '/redirect':
      return response.writeHead(302, { location: '/ok' }).end();
    case '/teapot':
      return response.writeHead(418).end();
    case '/host':
      return response.end(`you asked ${request.headers.host}`);
    case '/split':
      response.write('all is we');
      return setImmediate(() => response.write('ll; and then nothing'));
    case '/silent':
      return response.write('for ever');
    case '/huge': {
      response.write(Buffer.alloc(256 * 1024, '.'));
      return response.end('all is well');
    }
    case '/reset':
      return request.socket.destroy();
    default:
      return response.end('all is well');
  }
};

test('http: the status and the text; a redirect is not followed, and a page without an end is not read to it', async () => {
  const port = await listening(createHttp(pages));
  const ask = (path: string, more: object = {}) =>
    find({ kind: 'http', url: `http://127.0.0.1:${port}${path}`, status: '200-399', ...more });
  const text = 'all is well';
  expect(await ask('/ok', { text })).toMatchObject(OK);
  expect(await ask('/split', { text })).toMatchObject(OK);
  expect(await ask('/silent')).toMatchObject(OK);
  expect(await ask('/redirect')).toMatchObject(OK);
  expect(await ask('/redirect', { status: '200' })).toMatchObject(failed('it answers with status 302'));
  expect(await ask('/teapot')).toMatchObject(failed('it answers with status 418'));
  expect(await ask('/teapot', { status: '200,401,418' })).toMatchObject(OK);
  expect(await ask('/ok', { text: 'all is lost' })).toMatchObject(failed('does not contain the text'));
  expect(await ask('/huge', { text })).toMatchObject(failed('does not contain the text'));
  expect(await ask('/reset')).toMatchObject({ fault: expect.any(String), measured: { lost: 1 } });
  expect(await find({ kind: 'http', url: 'ftp://127.0.0.1/', status: '200' })).toMatchObject(refused('URL of the web'));
  const metadata = 'http://169.254.169.254/latest/';
  expect(await find({ kind: 'http', url: metadata, status: '200' })).toMatchObject(refused('cloud metadata'));
  expect(await find({ kind: 'http', url: `http://[::ffff:a9fe:a9fe]/`, status: '200' })).toMatchObject(
    refused('cloud metadata'),
  );
});

test('http: the request goes to the checked address, whatever DNS returns; and it ends with its signal', async () => {
  const port = await listening(createHttp(pages));
  const url = `http://nas.example:${port}`;
  const text = `you asked nas.example:${port}`;
  expect(await http({ url: `${url}/host`, status: '200', text }, '127.0.0.1', signal)).toMatchObject(OK);
  const stop = AbortSignal.timeout(200);
  const silent = await http({ url: `${url}/silent`, status: '200', text: 'x' }, '127.0.0.1', stop);
  expect(silent.measured).toMatchObject({ lost: 1 });
});

test('https: an untrusted certificate will do, and its expiry is reported', async () => {
  const { broker } = await makeTestAuthority({ days: 5 });
  const port = await listening(createHttps({ key: broker.key, cert: broker.cert }, pages));
  const endsAt = Date.parse(new X509Certificate(broker.cert).validTo);
  const url = `https://127.0.0.1:${port}/ok`;
  expect(await find({ kind: 'http', url, status: '200' })).toMatchObject({ ...OK, certificateEndsAt: endsAt });
  expect(await find({ kind: 'http', url, status: '404' })).toMatchObject({ certificateEndsAt: endsAt });
});

/** A name server with these records, by `<name> <type>`; it knows no others, and is silent about `silent.lan`. */
async function nameServer(records: Record<string, Uint8Array>): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at]!; length > 0; length = question[at]!) {
      labels.push(
        question
          .subarray(at + 1, at + 1 + length)
          .toString()
          .toLowerCase(),
      );
      at += length + 1;
    }
    const name = labels.join('.');
    if (name === 'silent.lan') return;
    const type = question.readUInt16BE(at + 1);
    const data = records[`${name} ${type}`];
    const code = data !== undefined || Object.keys(records).some((key) => key.startsWith(`${name} `)) ? 0 : 3;
    const head = [0x81, 0x80 + code, 0, 1, 0, data === undefined ? 0 : 1, 0, 0, 0, 0];
    // RFC 1035 section 4.1: the question again, and the record, whose name is that of the question.
    const parts: Uint8Array[] = [question.subarray(0, 2), Buffer.from(head), question.subarray(12, at + 5)];
    if (data !== undefined) parts.push(Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data);
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  cleanups.push(async () => {
    socket.close();
    await once(socket, 'close');
  });
  return `127.0.0.1:${socket.address().port}`;
}

const nameOf = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

test('dns: records, what is expected, and how a server fails', async () => {
  const server = await nameServer({
    'nas.lan 1': Buffer.from([10, 0, 0, 7]),
    'nas.lan 28': Buffer.from('fd000000000000000000000000000007', 'hex'),
    'lan 15': Buffer.concat([Buffer.from([0, 10]), nameOf('mail.lan')]),
    'lan 16': Buffer.from('\x05v=spf\x03 -a', 'latin1'),
    '_ipp._tcp.lan 33': Buffer.concat([Buffer.from([0, 1, 0, 2, 2, 0x77]), nameOf('printer.lan')]),
    '7.0.0.10.in-addr.arpa 12': nameOf('NAS.lan'),
  });
  const ask = (name: string, record: 'A' | 'AAAA' | 'MX' | 'TXT' | 'SRV' | 'PTR', expected?: string) =>
    dns({ name, record, expect: expected }, server, signal);
  expect(await ask('nas.lan', 'A')).toMatchObject(OK);
  expect(await ask('nas.lan', 'A', '10.0.0.7')).toMatchObject(OK);
  expect(await ask('nas.lan', 'A', '10.0.0.8')).toMatchObject(failed('none of the answers is 10.0.0.8: 10.0.0.7'));
  expect(await ask('nas.lan', 'AAAA', 'FD00:0:0::7')).toMatchObject(OK);
  expect(await ask('lan', 'MX', 'Mail.LAN.')).toMatchObject(OK);
  expect(await ask('lan', 'MX', '10 mail.lan')).toMatchObject(OK);
  expect(await ask('lan', 'TXT', 'v=spf -a')).toMatchObject(OK);
  expect(await ask('_ipp._tcp.lan', 'SRV', 'printer.lan:631')).toMatchObject(OK);
  expect(await ask('10.0.0.7', 'PTR', 'nas.lan')).toMatchObject(OK);
  expect(await ask('lan', 'A')).toMatchObject(failed('no record of this type'));
  expect(await ask('nobody.lan', 'A')).toMatchObject(failed('NXDOMAIN'));
  expect(await ask('silent.lan', 'A')).toMatchObject(failed('does not answer'));
});

test('the public address is that of the service that the operator has chosen, if the policy allows to ask it', async () => {
  const page = JSON.stringify({ ip: '203.0.113.77', org: 'Example Networks' });
  const url = `http://127.0.0.1:${await listening(createHttp((_, response) => response.end(page)))}/`;
  expect(await publicAddress(meansOf({}, url), signal)).toEqual({
    address: '203.0.113.77',
    provider: 'Example Networks',
  });
  expect(await publicAddress(meansOf({ internetinfo: { enabled: false } }, url), signal)).toBeNull();
  expect(await publicAddress(meansOf({}, `http://127.0.0.1:${await freePort()}/`), signal)).toBeNull();
});
