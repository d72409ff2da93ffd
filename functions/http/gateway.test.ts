import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { expect, test } from 'vitest';
import type { Env } from './call.ts';
import { behindGateway } from './gateway.ts';

/** Says what of a request has reached it. */
const mirror = new Hono<Env>().all('*', async (c) =>
  c.json({
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

test('the service sees the path that the client asked for, with the stage and the query', async () => {
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

test('a request arrived when the gateway received it', async () => {
  const tell = new Hono<Env>().all('*', (c) => c.json({ arrivedAt: c.env?.arrivedAt ?? null }));
  const requestContext = { domainName: 'api.example.org', requestTimeEpoch: 1_793_520_930_000 };
  const given = { ...event({}), requestContext } as unknown as LambdaEvent;
  const { body } = await handle(behindGateway(tell))(given);
  expect(JSON.parse(body)).toEqual({ arrivedAt: 1_793_520_930_000 });
});

test('the address of the client is the one that the gateway has seen, whatever a header says', async () => {
  const tell = new Hono<Env>().all('*', (c) => c.json({ address: c.env?.clientAddress ?? null }));
  const addressIn = async (requestContext: object) => {
    const headers = { 'X-Forwarded-For': ['198.51.100.1'], 'X-Real-IP': ['198.51.100.1'] };
    const given = { ...event({}), multiValueHeaders: headers, requestContext } as unknown as LambdaEvent;
    return JSON.parse((await handle(behindGateway(tell))(given)).body).address;
  };
  const domainName = 'api.example.org';
  expect(await addressIn({ domainName, identity: { sourceIp: '203.0.113.7' } })).toBe('203.0.113.7');
  expect(await addressIn({ domainName })).toBeNull();
});
