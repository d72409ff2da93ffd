/** Probes of services on loopback: what servers do, and what a check makes of it. */

import { X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import * as packet from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { Probe } from '../../shared/agent/plan.ts';
import { TOOL_SETTINGS } from '../../test/support/agent/tool-settings.ts';
import { freePort } from '../../test/support/free-port.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
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

function listening(server: Server): Promise<number> {
  cleanups.push(() => closeServer(server));
  return listenOnLoopback(server);
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
  const none = { checks: { enabled: false } };
  const noQuery = await find({ kind: 'dns', name: 'example.org', record: 'A' }, none);
  expect(noQuery).toMatchObject(refused('does not allow checks'));
});

test('internet: all anchors together, and one that is refused does not count', async () => {
  expect(await find({ kind: 'internet', anchors: ['169.254.169.254'] })).toMatchObject(refused('cloud metadata'));
  expect(await find({ kind: 'internet', anchors: ['127.0.0.1', '::1', '169.254.169.254'] })).toMatchObject({
    fault: null,
    measured: { sent: 10, lost: 0, rttMs: expect.any(Number) },
  });
});

test('tcp: a port that is open, and one that is not', async () => {
  const port = await listening(createHttp());
  expect(await find({ kind: 'tcp', host: '127.0.0.1', port })).toMatchObject(OK);
  const closed = await freePort();
  const refusal = failed(`port ${closed}: the connection was refused`);
  expect(await find({ kind: 'tcp', host: '127.0.0.1', port: closed })).toMatchObject(refusal);
});

/** A web server with a page for each case. */
const pages: RequestListener = ({ url, headers, socket }, response) => {
  if (url === '/redirect') return response.writeHead(302, { location: '/ok' }).end();
  if (url === '/teapot') return response.writeHead(418).end();
  if (url === '/host') return response.end(`the host is ${headers.host}`);
  if (url === '/silent') return response.write('for ever');
  if (url === '/reset') return socket.destroy();
  if (url === '/split') {
    response.write('all is we');
    return setImmediate(() => response.write('ll; and then nothing'));
  }
  if (url === '/huge') response.write(Buffer.alloc(256 * 1024, '.'));
  return response.end('all is well');
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
  for (const url of ['http://169.254.169.254/latest/', 'http://[::ffff:a9fe:a9fe]/'])
    expect(await find({ kind: 'http', url, status: '200' })).toMatchObject(refused('cloud metadata'));
});

test('http: the request goes to the checked address, whatever DNS returns; and it ends with its signal', async () => {
  const port = await listening(createHttp(pages));
  const url = `http://nas.example:${port}`;
  const text = `the host is nas.example:${port}`;
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

/** A name server with these records; it knows no others, and is silent about `silent.lan`. */
async function nameServer(records: packet.Answer[]): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { id = 0, questions = [] } = packet.decode(query);
    const [question] = questions;
    const name = question?.name.toLowerCase();
    if (name === 'silent.lan') return;
    const known = records.filter((each) => 'name' in each && each.name === name);
    const answers = known.filter(({ type }) => type === question?.type);
    const flags = known.length === 0 ? 3 : 0; // NXDOMAIN
    socket.send(packet.encode({ type: 'response', id, flags, questions, answers }), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  cleanups.push(async () => {
    socket.close();
    await once(socket, 'close');
  });
  return `127.0.0.1:${socket.address().port}`;
}

test('dns: records, what is expected, and how a server fails', async () => {
  const server = await nameServer([
    { type: 'A', name: 'nas.lan', data: '10.0.0.7' },
    { type: 'AAAA', name: 'nas.lan', data: 'fd00::7' },
    { type: 'MX', name: 'lan', data: { preference: 10, exchange: 'mail.lan' } },
    { type: 'TXT', name: 'lan', data: ['v=spf', ' -a'] },
    { type: 'SRV', name: '_ipp._tcp.lan', data: { port: 631, target: 'printer.lan' } },
    { type: 'PTR', name: '7.0.0.10.in-addr.arpa', data: 'NAS.lan' },
  ]);
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
  const expected = { address: '203.0.113.77', provider: 'Example Networks' };
  expect(await publicAddress(meansOf({}, url), signal)).toEqual(expected);
  expect(await publicAddress(meansOf({ internetinfo: { enabled: false } }, url), signal)).toBeNull();
  expect(await publicAddress(meansOf({}, `http://127.0.0.1:${await freePort()}/`), signal)).toBeNull();
});
