/** What the client makes of answers that are late, wrong or missing, from a server that stands where DynamoDB would be. */
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type NetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ServiceError } from '../shared/errors.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { Client } from './client.ts';
import { DynamoDBError } from './dynamodb-error.ts';
import { isOutage } from './outage.ts';
import { Table } from './table.ts';

type Handler = (response: ServerResponse, n: number, request: IncomingMessage) => void;

/** Handles the n-th request since the test began, counted from 0. */
let handle: Handler;
let requests = 0;
let underWay = 0;
let mostUnderWay = 0;
let onRequest = () => {};
let port: number;
const server = createServer(async (request, response) => {
  mostUnderWay = Math.max(mostUnderWay, ++underWay);
  response.once('close', () => underWay--);
  await text(request);
  handle(response, requests++, request);
  onRequest();
});

beforeAll(async () => {
  port = await listenOnLoopback(server);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let client: Client;
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0); // What is tried again is tried again at once.
  [requests, mostUnderWay, onRequest] = [0, 0, () => {}];
  client = open();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  client.destroy();
  server.closeAllConnections();
});

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: null };
const settings = () => ({
  region: 'eu-central-1',
  endpoint: `http://127.0.0.1:${port}`,
  credentials: () => CREDENTIALS,
});

function open(more: Partial<ConstructorParameters<typeof Client>[0]> = {}): Client {
  return new Client({ ...settings(), ...more });
}

const get = (among = client) =>
  among.call('GetItem', { TableName: 'items', Key: { pk: { S: 'a' }, sk: { S: 'b' } }, ConsistentRead: false });

const ITEM = { pk: { S: 'a' }, sk: { S: 'b' } };
const found: Handler = (response) => response.end(JSON.stringify({ Item: ITEM }));
const refuse =
  (status: number, name: string): Handler =>
  (response) =>
    response
      .writeHead(status)
      .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no' }));

const cancel =
  (...codes: string[]): Handler =>
  (response) =>
    response.writeHead(400).end(
      JSON.stringify({
        __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
        CancellationReasons: codes.map((Code) => ({ Code })),
      }),
    );

/** Resolves when the server has handled a request that comes after this call. */
const nextRequest = () => new Promise<void>((resolve) => (onRequest = resolve));

test.each<[string, Handler]>([
  ['a connection that is cut', (response) => response.destroy()],
  [
    'an answer that is cut off',
    (response) => response.writeHead(200, { 'content-length': 100 }).write('{"Item":', () => response.destroy()),
  ],
  ['an answer that is cut off between two chunks', (response) => response.write('{"Item":', () => response.destroy())],
  ['an answer that is no JSON', (response) => response.end('<html>It works!</html>')],
  ['an empty answer', (response) => response.end()],
  ['an answer that is no object', (response) => response.end('null')],
  ['an answer that is no HTTP', (response) => response.socket?.end('220 mail.example.org ESMTP\r\n\r\n')],
  ['the refusal of something that is not DynamoDB', (response) => response.writeHead(403).end('Forbidden')],
  ['an error inside of DynamoDB', refuse(500, 'InternalServerError')],
  ['a gateway in front of it that is overloaded', (response) => response.writeHead(503).end('{}')],
  ['a table that is asked too much', refuse(400, 'ProvisionedThroughputExceededException')],
  ['an account that is asked too much', refuse(400, 'RequestLimitExceeded')],
  ['calls that are throttled', refuse(400, 'ThrottlingException')],
  ['a transaction that is still being carried out', refuse(400, 'TransactionInProgressException')],
  ['a table that is being created among too many', refuse(400, 'LimitExceededException')],
  ['a gateway that limits rates', (response) => response.writeHead(429).end('{}')],
  ['a transaction with writes that are throttled', cancel('None', 'ThrottlingError', 'ProvisionedThroughputExceeded')],
])('%s is tried three times at most, and is an outage', async (_, fail) => {
  handle = (response, n, request) => (n === 0 ? fail : found)(response, n, request);
  expect(await get()).toEqual({ Item: ITEM });
  expect(requests).toBe(2);

  [requests, handle] = [0, fail];
  const error: unknown = await get().catch((reason) => reason);
  expect(requests).toBe(3);
  expect(error).toBeInstanceOf(DynamoDBError);
  expect(isOutage(error)).toBe(true);
});

test.each(['ValidationException', 'AccessDeniedException', 'ExpiredTokenException', 'ConditionalCheckFailedException'])(
  '%s is tried once, and stays what it is',
  async (name) => {
    handle = refuse(400, name);
    const error: unknown = await get().catch((reason) => reason);
    expect(error).toMatchObject({ name, message: 'no', $fault: 'client' });
    expect([requests, isOutage(error)]).toEqual([1, false]);
  },
);

test('a transaction that is cancelled for other reasons too is tried once', async () => {
  handle = cancel('ThrottlingError', 'ConditionalCheckFailed');
  const error: unknown = await get().catch((reason) => reason);
  expect([requests, isOutage(error)]).toEqual([1, false]);
});

test('an error quotes nothing of an answer that cannot be read, or of the request', async () => {
  handle = (response) => response.end('{"Item":{"secret":{"S":"hunter2"');
  const unreadable: Error = await get().catch((reason) => reason);
  expect(unreadable.message).toContain('the status 200');
  expect(String(unreadable.cause) + unreadable.message).not.toContain('hunter2');
  handle = (response) =>
    response.writeHead(400).end(
      JSON.stringify({
        __type: 'com.amazon.coral.service#InvalidSignatureException',
        message:
          "The signature does not match.\n\nThe Canonical String should have been\n'x-amz-security-token:hunter2",
      }),
    );
  await expect(get()).rejects.toThrow(/^The signature does not match\.$/);
});

/** How often a call raises a doubt whether it was carried out. */
async function doubtsOf(among: Client): Promise<number> {
  let doubts = 0;
  const input = { TableName: 'items', Item: ITEM };
  await among.call('PutItem', input, () => doubts++).catch(() => {});
  return doubts;
}

test('a call is in doubt if it may have been sent and was not refused, and only then', async () => {
  handle = (response) => response.destroy();
  expect(await doubtsOf(client)).toBe(3);
  handle = refuse(500, 'InternalServerError');
  expect(await doubtsOf(client)).toBe(3);
  handle = refuse(400, 'ThrottlingException');
  expect(await doubtsOf(client)).toBe(0);
  const closed = createServer();
  const unused = await listenOnLoopback(closed);
  await new Promise((resolve) => closed.close(resolve));
  expect(await doubtsOf(open({ endpoint: `http://127.0.0.1:${unused}` }))).toBe(0);
  expect(await doubtsOf(open({ credentials: () => Promise.reject(new Error('no credentials')) }))).toBe(0);
});

test('a header that cannot be sent is a fault of the request: no outage, in no doubt, and tried once', async () => {
  let asked = 0;
  const credentials = () => {
    asked++;
    return { ...CREDENTIALS, sessionToken: 'line\nbreak' };
  };
  const broken = open({ credentials });
  const error: unknown = await get(broken).catch((reason) => reason);
  expect(error).toMatchObject({ code: 'ERR_INVALID_CHAR' });
  expect([asked, isOutage(error), await doubtsOf(broken)]).toEqual([1, false, 0]);
});

test('an endpoint may be an IPv6 address', async () => {
  const hosts: unknown[] = [];
  class Watched extends Agent {
    override createConnection(options: NetConnectOpts): Duplex {
      hosts.push('host' in options ? options.host : null);
      return connect(port, '127.0.0.1');
    }
  }
  handle = found;
  const httpAgent = new Watched();
  expect(await get(open({ endpoint: 'http://[::1]:8000', httpAgent }))).toEqual({ Item: ITEM });
  expect(hosts).toEqual(['::1']);
  httpAgent.destroy();
});

test('an answer of many chunks, cut in the middle of characters, is put together', async () => {
  const name = 'Größe 🙂 '.repeat(50_000);
  const bytes = Buffer.from(JSON.stringify({ Item: { ...ITEM, name: { S: name } } }));
  handle = async (response) => {
    for (let at = 0; at < bytes.length; at += 60_001) {
      await new Promise((written) => response.write(bytes.subarray(at, at + 60_001), written));
    }
    response.end();
  };
  expect(await get()).toMatchObject({ Item: { name: { S: name } } });
});

test('nobody listens: it is tried three times', async () => {
  const closed = createServer();
  const unused = await listenOnLoopback(closed);
  await new Promise((resolve) => closed.close(resolve));
  const lonely = open({ endpoint: `http://127.0.0.1:${unused}` });
  let attempts = 0;
  const exchange = lonely.exchange.bind(lonely);
  lonely.exchange = (...call) => {
    attempts++;
    return exchange(...call);
  };
  const error: unknown = await get(lonely).catch((reason) => reason);
  expect([attempts, isOutage(error)]).toEqual([3, true]);
  expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

test('an answer that has arrived in time is taken, though this process was too busy to read it', async () => {
  const { setTimeout: sleep } = globalThis;
  heldClock();
  handle = (response, n) => {
    found(response, n, {} as never);
    // The answer is in the buffer of the connection. The timers come next, before it is read.
    sleep(() => vi.advanceTimersByTime(3_000), 1);
    for (const until = performance.now() + 5; performance.now() < until; );
  };
  expect(await get()).toEqual({ Item: ITEM });
  expect(requests).toBe(1);
});

/** Lets the time of time-outs stand still, and returns how it goes on. */
function heldClock() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return (ms: number) => vi.advanceTimersByTimeAsync(ms);
}

test('each attempt has three seconds from when it is connected, until the last byte', async () => {
  const pass = heldClock();
  // The first is silent, the second sends bytes all the time and never ends.
  handle = (response, n) =>
    void (n === 1 ? response.write('{"Item":') : n === 2 ? found(response, n, {} as never) : null);
  const answer = get();
  for (let attempt = 0; attempt < 2; attempt++) {
    await nextRequest();
    expect(requests).toBe(attempt + 1);
    await pass(2_999);
    expect(requests).toBe(attempt + 1);
    await pass(1);
  }
  expect(await answer).toEqual({ Item: ITEM });
  expect(requests).toBe(3);
});

test('a connection that does not come about is given up, and told as an outage', async () => {
  class Nowhere extends Agent {
    asked = 0;
    override createConnection(): undefined {
      this.asked++;
    }
  }
  const pass = heldClock();
  const agent = new Nowhere();
  const handedOver = open({ httpAgent: agent });
  const outcome = get(handedOver).catch((reason: unknown) => reason);
  for (let attempt = 1; attempt <= 3; attempt++) {
    await vi.waitUntil(() => agent.asked === attempt);
    await pass(3_000);
  }
  const error = await outcome;
  expect([agent.asked, isOutage(error)]).toEqual([3, true]);
});

test('waiting for a turn does not count as waiting for an answer', async () => {
  const pass = heldClock();
  const held: ServerResponse[] = [];
  handle = (response) => held.push(response);
  const answers = Promise.all(Array.from({ length: 150 }, () => get()));
  for (let round = 1; round <= 3; round++) {
    await expect.poll(() => requests).toBe(50 * round);
    await pass(1_600); // Three times that is longer than an answer may take, and shorter than a call may wait.
    for (const response of held.splice(0)) found(response, 0, {} as never);
  }
  expect(await answers).toHaveLength(150);
  expect([requests, mostUnderWay]).toEqual([150, 50]);
});

test('when hardly anything succeeds, calls are not tried again any more', async () => {
  handle = refuse(500, 'InternalServerError');
  for (let i = 0; i < 100; i++) await expect(get()).rejects.toThrow();
  expect(requests).toBeGreaterThan(130);
  expect(requests).toBeLessThan(140);
  // Successes give tries back.
  handle = found;
  for (let i = 0; i < 40; i++) await get();
  [requests, handle] = [0, refuse(500, 'InternalServerError')];
  await expect(get()).rejects.toThrow();
  expect(requests).toBe(3);
});

test('a clock that is wrong is set by that of DynamoDB, once', async () => {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: now - 3_600_000 });
  const times: string[] = [];
  handle = (response, n, request) => {
    const time = String(request.headers['x-amz-date']);
    times.push(time);
    response.setHeader('date', new Date(now).toUTCString());
    const isRight = time.slice(0, 11) === new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 11);
    (isRight ? found : refuse(400, 'InvalidSignatureException'))(response, n, request);
  };
  expect(await get()).toEqual({ Item: ITEM });
  expect(await get()).toEqual({ Item: ITEM });
  expect(requests).toBe(3);
  // With the right clock, a wrong signature is an error like others.
  handle = (response, n, request) => {
    response.setHeader('date', new Date(now).toUTCString());
    refuse(400, 'InvalidSignatureException')(response, n, request);
  };
  await expect(get()).rejects.toMatchObject({ name: 'InvalidSignatureException' });
  expect(requests).toBe(4);
});

test('many calls that are refused at once for a wrong clock are all made again', async () => {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: now - 3_600_000 });
  const held: ServerResponse[] = [];
  handle = (response, n, request) => {
    const hour = new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 11);
    response.setHeader('date', new Date(now).toUTCString());
    if (String(request.headers['x-amz-date']).slice(0, 11) === hour) return found(response, n, request);
    held.push(response);
    if (held.length < 50) return;
    for (const one of held) refuse(400, 'InvalidSignatureException')(one, n, request);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => get()));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
});

test('credentials that are not found in time are an outage, and nothing is in doubt', async () => {
  const pass = heldClock();
  let asked = 0;
  const never = () => {
    asked++;
    return new Promise<never>(() => {});
  };
  const silent = open({ credentials: never });
  const outcome = get(silent).catch((reason: unknown) => reason);
  for (let attempt = 1; attempt <= 3; attempt++) {
    await vi.waitUntil(() => asked === attempt);
    await pass(5_000);
  }
  expect(isOutage(await outcome)).toBe(true);
});

test('credentials are asked for at each attempt; without them the call fails as it is', async () => {
  let asked = 0;
  const rotating = open({ credentials: async () => ({ ...CREDENTIALS, accessKeyId: `AKID${++asked}` }) });
  const used: unknown[] = [];
  handle = (response, n, request) => {
    used.push(/Credential=(\w+)/.exec(String(request.headers.authorization))?.[1]);
    (n === 0 ? refuse(500, 'InternalServerError') : found)(response, n, request);
  };
  await get(rotating);
  await get(rotating);
  expect(used).toEqual(['AKID1', 'AKID2', 'AKID3']);
  rotating.destroy();
  const missing = new Error('no credentials');
  await expect(get(open({ credentials: () => Promise.reject(missing) }))).rejects.toBe(missing);
});

test('of very many calls at once, each is answered or refused as busy, and none as an outage', async () => {
  handle = found;
  const table = new Table({ ...settings(), tableName: 'items', bulkWrites: 'batch' });
  const outcomes = await Promise.allSettled(Array.from({ length: 2_000 }, () => table.get({ pk: 'a', sk: 'b' })));
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') expect(outcome.value).toEqual({ pk: 'a', sk: 'b' });
    else expect(outcome.reason).toMatchObject({ code: 'busy', retryAfter: 2 });
  }
  expect(mostUnderWay).toBeLessThanOrEqual(50);
  table.client.destroy();
});

test('what does not fit into the queue is refused at once, and nothing of it was sent', async () => {
  const held: ServerResponse[] = [];
  handle = (response) => held.push(response);
  const refusals: unknown[] = [];
  const calls = Array.from({ length: 5_000 }, () => get().catch((error: unknown) => refusals.push(error)));
  await expect.poll(() => held.length).toBe(50);
  expect(refusals).toHaveLength(5_000 - 50 - 4_000);
  for (const refusal of refusals) {
    expect(refusal).toBeInstanceOf(ServiceError);
    expect(refusal).toMatchObject({ code: 'busy', retryAfter: 2 });
  }
  handle = found;
  for (const response of held) found(response, 0, {} as never);
  await Promise.all(calls);
  expect(requests).toBeLessThanOrEqual(4_050);
});
