import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { expect, test } from 'vitest';
import type { Env } from './call.ts';
import { behindGateway } from './gateway.ts';

/** Responds with the request as it has arrived. */
const mirror = new Hono<Env>().all('*', async (c) =>
  c.json({
    arrivedAt: c.env?.arrivedAt ?? null,
    address: c.env?.clientAddress ?? null,
    url: c.req.url,
    method: c.req.method,
    encoding: c.req.header('accept-encoding') ?? null,
    body: Buffer.from(await c.req.arrayBuffer()).toString('hex'),
  }),
);

interface Given {
  stagePath?: string;
  httpMethod?: string;
  multiValueQueryStringParameters?: Record<string, string[]>;
  body?: string;
  isBase64Encoded?: boolean;
  multiValueHeaders?: Record<string, string[]>;
  requestContext?: object;
}

/** An event of a proxy integration, as far as it matters here. */
function event({ stagePath, ...rest }: Given): LambdaEvent {
  return {
    httpMethod: 'GET',
    path: '/jobs',
    headers: {},
    multiValueHeaders: { 'Accept-Encoding': ['gzip, br'] },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: null,
    isBase64Encoded: false,
    requestContext: { domainName: 'api.example.org', ...(stagePath === undefined ? {} : { path: stagePath }) },
    ...rest,
  } as unknown as LambdaEvent;
}

async function seen(given: Given) {
  const result = await handle(behindGateway(mirror))(event(given));
  return JSON.parse(result.body);
}

test('the service gets the path of the client, with the stage and the query', async () => {
  const request = { stagePath: '/prod/jobs', multiValueQueryStringParameters: { site: ['home'], q: ['a b', 'c'] } };
  expect(await seen(request)).toMatchObject({ url: 'https://api.example.org/prod/jobs?site=home&q=a%20b&q=c' });
});

test('without a stage the path is what it is', async () => {
  expect(await seen({})).toMatchObject({ url: 'https://api.example.org/jobs' });
});

test('a body arrives byte for byte', async () => {
  const bytes = Buffer.from([0, 255, 13, 10, 128]);
  const request = {
    httpMethod: 'POST',
    stagePath: '/prod/jobs',
    body: bytes.toString('base64'),
    isBase64Encoded: true,
  };
  expect(await seen(request)).toMatchObject({ method: 'POST', body: '00ff0d0a80' });
});

test('time of arrival and address of the client are those of the gateway, regardless of headers', async () => {
  const seenIn = (context: object) =>
    seen({
      multiValueHeaders: { 'X-Forwarded-For': ['198.51.100.1'], 'X-Real-IP': ['198.51.100.1'] },
      requestContext: { domainName: 'api.example.org', ...context },
    });
  const at = 1_793_520_930_000;
  const identity = { sourceIp: '203.0.113.7' };
  expect(await seenIn({ requestTimeEpoch: at, identity })).toMatchObject({ arrivedAt: at, address: '203.0.113.7' });
  expect(await seenIn({})).toMatchObject({ arrivedAt: null, address: null });
});
