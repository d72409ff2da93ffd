import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { expect, test } from 'vitest';
import type { Env } from './call.ts';
import { behindGateway } from './gateway.ts';

/** Responds with the request as it has arrived. */
const mirror = new Hono<Env>().all('*', async (c) =>
  c.json({ arrivedAt: c.env?.arrivedAt ?? null, address: c.env?.clientAddress ?? null, url: c.req.url }),
);

interface Given {
  stagePath?: string;
  multiValueQueryStringParameters?: Record<string, string[]>;
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
