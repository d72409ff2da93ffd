import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { admin } from '../shared/api/admin.ts';
import { devices } from '../shared/api/devices.ts';
import { jobs } from '../shared/api/jobs.ts';
import { nettools } from '../shared/api/nettools.ts';
import { operations as allOperations } from '../test/lambda/operations.ts';
import { freePort } from '../test/support/free-port.ts';
import { closeServer, listenOnLoopback } from '../test/support/loopback.ts';
import { type Client, openClient } from './client.ts';
import { ApiError, ConnectionError, InvalidInputError, UnexpectedAnswerError } from './errors.ts';
import { operations } from './main.ts';

/** A client of something that answers like this. */
async function clientOf(answer: RequestListener): Promise<Client> {
  const server = createServer(answer);
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return openClient({ url: `http://127.0.0.1:${port}`, token: 'secret-token' });
}

function answering(status: number, body: unknown): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** A function, for `expect(…).rejects` shows only the message. */
async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: Error) => error,
  );
}

test('every operation of the API is one of the client', () => {
  const ours = Object.values(operations).flatMap((table) => Object.keys(table));
  expect(ours.sort()).toEqual([...allOperations.keys()].sort());
});

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

test('a request by its route names the ETag that it needs, and has that of the answer', async () => {
  const client = await clientOf((request, response) => {
    response.setHeader('etag', '"2"').end(JSON.stringify({ at: request.url, match: request.headers['if-match'] }));
  });
  const question = { params: { site: 'the cabin' }, ifMatch: '"1"' };
  expect(await client.tagged('GET /sites/{site}', question)).toEqual({
    answer: { at: '/sites/the%20cabin', match: '"1"' },
    etag: '"2"',
  });
});

test('a refusal has its status, code, message and fields', async () => {
  const errors = [{ path: 'name', message: 'expected a text' }];
  const body = { success: false, error: 'Class', message: 'What is wrong.', requestId: 'r', errors, errorsOmitted: 3 };
  const client = await clientOf(answering(400, { ...body, code: 'validation_failed' }));
  const error = await errorOf(client.ask(admin.listSites));
  expect(error).toBeInstanceOf(ApiError);
  const { message, requestId } = body;
  const expected = { message, status: 400, code: 'validation_failed', fields: errors, fieldsOmitted: 3, requestId };
  expect(error).toMatchObject(expected);
});

test.each([
  ['7', 7],
  [new Date(Date.now() - 60_000).toUTCString(), 0],
  ['soon', null],
])('Retry-After: %s', async (header, retryAfterS) => {
  const client = await clientOf((_, response) => {
    response.writeHead(429, { 'retry-after': header });
    response.end('{"message": "Slowly.", "code": "too_many_requests", "requestId": "r"}');
  });
  expect(await errorOf(client.ask(admin.listSites))).toMatchObject({ status: 429, retryAfterS });
});

test.each([
  [200, '<html>'],
  [200, '{"success": true}'],
  [401, 'no'],
  [502, '<html>'],
  [404, '{"message": "Not Found"}'],
])('what is not the API is recognised: %i %s', async (status, body) => {
  const client = await clientOf(answering(status, body));
  const error = await errorOf(client.ask(admin.listSites));
  expect(error).toBeInstanceOf(UnexpectedAnswerError);
  expect(error).toMatchObject({ status });
  expect(error.message).toMatch(new RegExp(`answered with status ${status}.*is this the URL of the API`));
  expect(await errorOf(client.follow(devices.listEvents, '').next())).toBeInstanceOf(UnexpectedAnswerError);
});

test('the token does not follow a redirection', async () => {
  let followed = false;
  const client = await clientOf((request, response) => {
    followed ||= request.url === '/elsewhere';
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect(await errorOf(client.ask(admin.listSites))).toBeInstanceOf(ConnectionError);
  expect(followed).toBe(false);
});

test('a request has a deadline, also when the answer has begun', async () => {
  const silent = await clientOf(() => {});
  expect((await errorOf(silent.ask(admin.listSites, { timeoutMs: 100 }))).message).toMatch(/within 0.1 s/);
  const slow = await clientOf((_, response) => response.writeHead(200).write('{'));
  expect((await errorOf(slow.ask(admin.listSites, { timeoutMs: 100 }))).message).toMatch(/within 0.1 s/);
});

test('a connection that is refused or breaks is told with its reason', async () => {
  const breaking = await clientOf((request) => request.socket.destroy());
  expect((await errorOf(breaking.ask(admin.listSites))).message).toMatch(/^Cannot reach http:.*(?:closed|ECONNRESET)/);
  const url = `http://127.0.0.1:${await freePort()}`;
  const refused = openClient({ url, token: 'x' }).ask(admin.listSites);
  expect(await errorOf(refused)).toMatchObject({ code: 'ECONNREFUSED', url });
});

test('a request ends when its signal says so, with the reason of the signal', async () => {
  const silent = await clientOf(() => {});
  const reason = new Error('the page was left');
  const stop = new AbortController();
  const asked = errorOf(silent.ask(admin.listSites, { signal: stop.signal }));
  const followed = errorOf(silent.follow(devices.listEvents, '', { signal: stop.signal }).next());
  stop.abort(reason);
  expect(await asked).toBe(reason);
  expect(await followed).toBe(reason);
});

test('a stream gives its events, and ends with the error that it tells', async () => {
  const seen: unknown[] = [];
  const client = await clientOf((request, response) => {
    seen.push([request.method, request.headers.accept, request.headers['last-event-id']]);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(': a sign of life\n\nevent: output\nid: 7\nretry: 5000\ndata: {"text": "öff');
    response.write('"}\n\n');
    response.end('event: error\ndata: {"message": "The token was revoked", "code": "forbidden", "requestId": "r"}\n\n');
  });
  const events = client.follow(nettools.interfaces, '3');
  expect((await events.next()).value).toEqual({ event: 'output', id: '7', retryMs: 5_000, data: { text: 'öff' } });
  const error = await errorOf(events.next());
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ message: 'The token was revoked', code: 'forbidden', status: null });
  expect(seen).toEqual([['GET', 'text/event-stream', '3']]);
});

test('an id that is none never becomes a path', async () => {
  const seen: unknown[] = [];
  const client = await clientOf((request, response) => {
    seen.push(request.url);
    response.end();
  });
  for (const asked of [
    client.ask(admin.listAgents, { params: { site: '..' } }),
    client.ask(admin.revokeToken, { params: { id: 'a/b' } }),
    client.ask('GET /sites/{site}', { params: { site: '..' } }),
  ]) {
    expect(await errorOf(asked)).toBeInstanceOf(InvalidInputError);
  }
  expect(seen).toEqual([]);
});

test('a command that outlives its request comes back as a job', async () => {
  const { response: job } = jobs.getJob.example;
  const client = await clientOf(answering(202, job));
  expect(await client.run(nettools.interfaces)).toEqual({ job });
  const quick = await clientOf(answering(200, nettools.interfaces.example.response));
  expect(await quick.run(nettools.interfaces)).toEqual({ answer: nettools.interfaces.example.response });
});
