import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { admin } from '../../shared/api/admin.ts';
import { devices } from '../../shared/api/devices.ts';
import { jobs } from '../../shared/api/jobs.ts';
import { nettools } from '../../shared/api/nettools.ts';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { type Client, openClient } from './client.ts';
import type { Failure } from './failure.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A client of something that answers like this. */
async function clientOf(answer: RequestListener): Promise<Client> {
  const server = createServer(answer);
  const port = await listenOnLoopback(server);
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return openClient({ url: `http://127.0.0.1:${port}`, token: 'secret-token' });
}

function answering(status: number, body: unknown): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** A function, for `expect(…).rejects` shows only the message. */
async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: Failure) => error,
  );
}

test('a request has its method, path, query, body and token', async () => {
  const seen: unknown[] = [];
  const client = await clientOf((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push([request.method, request.url, request.headers.authorization, Buffer.concat(chunks).toString()]);
      response.end('{"success": true, "devices": [], "extra": 1}');
    });
  });
  const answer = await client.ask(devices.searchDevices, { site: 'home', body: { query: 'nas' } });
  expect(seen).toEqual([['POST', '/devices/search?site=home', 'Bearer secret-token', '{"query":"nas"}']]);
  expect(answer).toEqual({ success: true, devices: [], extra: 1 });
});

test.each([
  ['forbidden', 403, 'auth'],
  ['site_forbidden', 403, 'auth'],
  ['target_not_allowed', 403, 'failure'],
  ['not_found', 404, 'notFound'],
  ['validation_failed', 400, 'usage'],
  ['agent_offline', 503, 'agentOffline'],
  ['agent_silent', 503, 'agentOffline'],
  ['command_failed', 500, 'failure'],
] as const)('%s is told in the words of the API', async (code, status, ending) => {
  const body = { success: false, error: 'Class', message: 'What is wrong.', code, requestId: 'r' };
  const client = await clientOf(answering(status, body));
  expect(await failureOf(client.ask(admin.listSites))).toMatchObject({ message: 'What is wrong.', ending });
});

test('fields that were refused are named, once', async () => {
  const errors = [
    { path: 'name', message: 'expected a text' },
    { path: '', message: 'is too long' },
  ];
  const body = { success: false, error: 'x', code: 'validation_failed', requestId: 'r', errors };
  const vague = await clientOf(answering(400, { ...body, message: 'Two fields are wrong' }));
  expect((await failureOf(vague.ask(admin.listSites))).message).toBe(
    'Two fields are wrong\n  name: expected a text\n  body: is too long',
  );
  const precise = await clientOf(answering(400, { ...body, message: 'name: expected a text; is too long' }));
  expect((await failureOf(precise.ask(admin.listSites))).message).toBe('name: expected a text; is too long');
});

test.each([
  [200, '<html>'],
  [200, '{"success": true}'],
  [502, '<html>'],
  [404, '{"message": "Not Found"}'],
])('what is not the API is recognised: %i %s', async (status, body) => {
  const client = await clientOf(answering(status, body));
  const failure = await failureOf(client.ask(admin.listSites));
  expect(failure.ending).toBe('failure');
  expect(failure.message).toMatch(new RegExp(`answered with status ${status}.*is this the URL of the API`));
});

test('a gateway that refuses the token is a matter of authorization', async () => {
  const client = await clientOf(answering(401, 'no'));
  expect((await failureOf(client.ask(admin.listSites))).ending).toBe('auth');
});

test('the token does not follow a redirection', async () => {
  let followed = false;
  const client = await clientOf((request, response) => {
    followed ||= request.url === '/elsewhere';
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect((await failureOf(client.ask(admin.listSites))).ending).toBe('failure');
  expect(followed).toBe(false);
});

test('a request has a deadline, also when the answer has begun', async () => {
  const silent = await clientOf(() => {});
  expect((await failureOf(silent.ask(admin.listSites, { timeoutMs: 100 }))).message).toMatch(/within 0.1 s/);
  const slow = await clientOf((_, response) => response.writeHead(200).write('{'));
  expect((await failureOf(slow.ask(admin.listSites, { timeoutMs: 100 }))).message).toMatch(/within 0.1 s/);
});

test('when nothing listens on this host, it says how to start it', async () => {
  const client = await clientOf(() => {});
  for (const stop of stops.splice(0)) stop();
  expect((await failureOf(client.ask(admin.listSites))).message).toMatch(/is it running\? Start it with: npm start/);
});

test('a connection that breaks is told with its reason', async () => {
  const client = await clientOf((request) => request.socket.destroy());
  expect((await failureOf(client.ask(admin.listSites))).message).toMatch(/^Cannot reach http:.*(?:closed|ECONNRESET)/);
});

test('a port without TLS is told as that', async () => {
  const { url } = await clientOf(answering(200, '{}'));
  const client = openClient({ url: url.replace('http:', 'https:'), token: 'x' });
  const { message } = await failureOf(client.ask(admin.listSites));
  expect(message).toMatch(
    /^Cannot reach https:\S+: the server does not speak TLS at that port; should the URL begin with http:\/\/\?$/,
  );
});

test('an id that is none never becomes a path', async () => {
  const seen: unknown[] = [];
  const client = await clientOf((request, response) => {
    seen.push(request.url);
    response.end();
  });
  expect((await failureOf(client.ask(admin.listAgents, { params: { site: '..' } }))).ending).toBe('usage');
  expect((await failureOf(client.ask(admin.revokeToken, { params: { id: 'a/b' } }))).ending).toBe('usage');
  expect(seen).toEqual([]);
});

test('a command that outlives its request comes back as a job', async () => {
  const { response: job } = jobs.getJob.example;
  const client = await clientOf(answering(202, job));
  expect(await client.run(nettools.interfaces)).toEqual({ job });
  const quick = await clientOf(answering(200, nettools.interfaces.example.response));
  expect(await quick.run(nettools.interfaces)).toEqual({ answer: nettools.interfaces.example.response });
});
