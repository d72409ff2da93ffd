/** The log: one set of ids leads from a request to its job and to the agent, and no secret is in it. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { tokenId } from '../functions/http/token.ts';
import { openApiClient } from './api-client.ts';
import { startServerProcess } from './support/server-process.ts';
import { sharedSystem } from './support/shared-system.ts';
import { makeTestFolder } from './support/test-folder.ts';

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'local.js');

const system = sharedSystem();

test('a request has one line, which says why it failed, and the same ids lead to its job, to the agent, and to the result', async () => {
  const token = await system.createToken();
  const headers = { 'x-request-id': 'ids-1' };
  expect((await system.request('GET', '/nettools/interfaces', { token, headers })).status).toBe(200);
  const away = { headers: { 'x-request-id': 'ids-2' }, site: await system.addSite() };
  expect((await system.request('GET', '/nettools/interfaces', away)).status).toBe(503);
  const failed = { msg: 'request', status: 503, code: 'agent_offline' };
  expect(system.logged.find(({ requestId }) => requestId === 'ids-2')).toMatchObject(failed);
  const [jobId] = await system.newestJobs(1);
  const linesOf = (msg: string) =>
    system.logged.filter((line) => line.msg === msg && (line.requestId === 'ids-1' || line.jobId === jobId));
  await expect.poll(() => [...linesOf('result'), ...linesOf('request ended')]).toHaveLength(2);
  const caller = { requestId: 'ids-1', tokenId: tokenId(token), site: 'home' };
  const route = { operation: 'interfaces', method: 'GET', route: '/nettools/interfaces', status: 200 };
  const command = { jobId, agentId: system.system.agent };
  const atAgent = { child: 'agent', requestId: 'ids-1', ...command };
  for (const [msg, fields] of Object.entries({
    request: { ...caller, ...route, durMs: expect.any(Number) },
    command: { ...caller, ...command, tool: 'interfaces' },
    'command started': atAgent,
    'request ended': atAgent,
    result: { ...command, site: 'home', tool: 'interfaces', state: 'succeeded' },
  }))
    expect([msg, linesOf(msg)]).toEqual([msg, [expect.objectContaining(fields)]]);
});

test('a token and an enrolment code are in no line of any log, wherever somebody sends them by mistake', async () => {
  await using folder = makeTestFolder();
  const token = 'correct-horse-battery-staple'; // One that an operator has chosen can look like the id of a site.
  const server = await startServerProcess(PROGRAM, folder.path, token);
  const api = openApiClient(server.url, token);
  const secrets = [token];
  try {
    for (const name of ['attic', 'cellar']) {
      const { json } = await api.request('POST', '/sites/home/agents', { body: { name } });
      secrets.push((json as { code: string }).code);
    }
    const made = await api.request('POST', '/tokens', { body: { name: 'x', scopes: ['admin'], sites: ['home'] } });
    secrets.push((made.json as { token: string }).token);
    expect(secrets.every((secret) => secret.length > 10)).toBe(true);
    for (const secret of secrets)
      for (const [method, path, options] of misuses(secret)) await api.request(method, path, options);
    // What is no HTTP at all, and a request that breaks off.
    for (const secret of secrets) {
      const socket = connect(server.port, '127.0.0.1');
      socket.end(`GET /${secret} HTTP/9\r\nHost: ${secret}\r\nAuthorization: ${secret}\r\n\r\n`);
      await text(socket);
    }
    await server.stop();
    const log = server.log();
    expect(log.match(/"msg":"request"/g)?.length).toBeGreaterThan(100);
    expect(log).toContain('"child":"agent"');
    for (const [i, secret] of secrets.entries()) {
      // Neither the whole, nor the half of it that nobody else knows.
      const [, half = secret] = /\.(.+)$/.exec(secret) ?? [];
      const lines = log.split('\n').filter((line) => line.includes(half));
      expect([i, lines]).toEqual([i, []]);
    }
  } finally {
    if (server.ended() === null) await server.stop();
  }
});

type Request = Parameters<ReturnType<typeof openApiClient>['request']>;

/** Requests that have a secret in every place that a request has. */
function misuses(secret: string): Request[] {
  const named = ['x-request-id', 'x-site', 'idempotency-key', 'prefer', 'last-event-id', 'if-match', 'if-none-match'];
  const others = ['user-agent', 'referer', 'cookie', 'accept', 'content-type', 'traceparent', 'x-forwarded-for'];
  const headers = [...named, ...others].map((name) => ({ [name]: secret }));
  return [
    ...headers.map((one): Request => ['GET', '/devices/totals', { headers: one }]),
    ...headers.map((one): Request => ['GET', '/nettools/interfaces?agent=none', { headers: one }]),
    ...[`Bearer ${secret}x`, secret, `Basic ${secret}`, `Bearer ${secret} ${secret}`].map(
      (authorization): Request => ['GET', '/devices', { headers: { authorization }, token: null }],
    ),
    // With this secret as the token of the request: its id in a header of another name.
    ['GET', '/devices/totals', { token: secret, headers: { 'x-request-id': secret } }],
    ['GET', '/devices/totals', { token: secret, headers: { 'x-request-id': `id-${secret}`.slice(0, 64) } }],
    ...['token', 'site', 'status', 'format', 'limit', 'cursor', 'agent', 'devices'].flatMap((name): Request[] => [
      ['GET', `/devices/by-status?${name}=${secret}`],
      ['GET', `/metrics?${name}=${secret}`],
      ['DELETE', `/devices?dryRun=true&${name}=${secret}`],
    ]),
    ...['/', '/devices/', '/jobs/', '/sites/', '/tokens/', '/devices/export/', '/device/'].map(
      (path): Request => ['GET', path + secret],
    ),
    ['DELETE', `/tokens/${secret}`],
    ['GET', `/${secret}/devices/totals`],
    ['POST', '/devices/search', { body: { query: secret } }],
    ['POST', '/devices/search', { raw: secret, headers: { 'content-type': 'application/json' } }],
    ['POST', '/devices/import', { body: { content: Buffer.from(secret).toString('base64') } }],
    ['POST', '/devices/import', { body: { content: secret } }],
    ['DELETE', '/devices?dryRun=true', { body: { macs: [secret], [secret]: secret } }],
    ['POST', '/tokens', { body: { name: secret, scopes: [secret], sites: [secret] } }],
    ['POST', '/sites', { body: { id: secret } }],
    ['POST', '/enrol', { body: { code: secret, csr: secret }, token: null }],
    ['POST', '/enrol', { body: { code: secret, csr: `-----BEGIN CERTIFICATE REQUEST-----\n${secret}` }, token: null }],
    ['POST', '/enrol/renew', { body: { agent: secret, at: 1, signature: secret, csr: secret }, token: null }],
    ['POST', '/nettools/nmap', { body: { scan: secret, mode: secret } }],
    ['POST', '/nettools/wakeonlan', { body: { devMac: secret } }],
  ];
}
