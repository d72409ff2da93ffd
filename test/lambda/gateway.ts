/** API Gateway (regional REST API, Lambda proxy integrations), with the limits and peculiarities that AWS documents. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { APIGatewayEventIdentity, APIGatewayProxyEvent } from 'aws-lambda';
import { type RefusalType, refusalResponse } from '../../cdk/refusals.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import type { DeployedFunction } from './function-process.ts';
import { type Answered, FunctionError, PAYLOAD_BYTES } from './runtime-api.ts';

/** The first segment of its paths. */
export const STAGE = 'prod';
const API_ID = 'a1b2c3d4e5';
/** The name that the gateway gave the API. */
export const API_HOST = `${API_ID}.execute-api.eu-central-1.amazonaws.com`;
const ACCOUNT = '123456789012';
/** The stack asks for these; everything else travels as text. */
const BINARY_MEDIA_TYPES = ['multipart/form-data'];
const GATEWAY_REQUEST_BYTES = 10 * 1024 * 1024;
/** Between the head of a streamed answer and its body. */
const DELIMITER = Buffer.alloc(8);

/** Of a caller without a key, a certificate or a name of AWS. */
const NONE = [
  'accountId',
  'caller',
  'principalOrgId',
  'accessKey',
  'userArn',
  'user',
  'apiKey',
  'apiKeyId',
  'clientCert',
];
const IDENTITY = {
  ...{ ...Object.fromEntries(NONE.map((name) => [name, null])), sourceIp: '203.0.113.7', userAgent: 'curl/8.5.0' },
  ...{ cognitoIdentityPoolId: null, cognitoIdentityId: null, cognitoAuthenticationType: null },
  cognitoAuthenticationProvider: null,
} as APIGatewayEventIdentity;

/** Where clients find the API: at a stage, or under a base path of a domain of one's own. */
export type Address = { stage: string } | { domain: string; basePath: string };

export interface HttpRequest {
  method: string;
  /** Without the stage or the base path. */
  path: string;
  query: URLSearchParams;
  headers: [name: string, value: string][];
  body: Buffer;
}

/** The event of a request: payload version 1.0, of `/<segment>`, `/<segment>/{proxy+}`, `/` or `/{proxy+}`. */
export function proxyEvent(request: HttpRequest, address: Address, isCaught = false): APIGatewayProxyEvent {
  const { method, path, query, headers: sent, body } = request;
  const [, segment = '', ...below] = path.split('/');
  // A slash at the end of a path is no part of what `{proxy+}` matches.
  const rest = (isCaught ? [segment, ...below] : below).filter((part, i, { length }) => part !== '' || i < length - 1);
  const parent = isCaught ? '' : `/${segment}`;
  const resource = rest.length === 0 ? parent || '/' : `${parent}/{proxy+}`;
  const domainName = 'stage' in address ? API_HOST : address.domain;
  const publicPath = 'stage' in address ? `/${address.stage}${path}` : `/${address.basePath}${path}`;
  const now = new Date();
  const headers: [string, string][] = [
    ...sent.filter(([name]) => !DROPPED.test(name)),
    ['Host', domainName],
    ['X-Amzn-Trace-Id', 'Root=1-69075f80-3e8b9e3f4a5f6b7c8d9e0f12'],
    ['X-Forwarded-For', '203.0.113.7'],
    ['X-Forwarded-Port', '443'],
    ['X-Forwarded-Proto', 'https'],
  ];
  const contentType = sent.find(([name]) => name.toLowerCase() === 'content-type')?.[1].split(';')[0] ?? '';
  const isBinary = BINARY_MEDIA_TYPES.includes(contentType.trim());
  return {
    resource,
    // A base path is left in, a stage is not.
    path: 'stage' in address ? path : publicPath,
    httpMethod: method,
    headers: Object.fromEntries(headers),
    multiValueHeaders: lists(headers) ?? {},
    queryStringParameters: query.size === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: lists([...query]),
    pathParameters: rest.length === 0 ? null : { proxy: rest.join('/') },
    stageVariables: null,
    requestContext: {
      resourceId: 'x1y2z3',
      resourcePath: resource,
      httpMethod: method,
      extendedRequestId: 'UExAmPlEFiAEXyz=',
      requestTime: '01/Nov/2026:08:15:30 +0000',
      path: publicPath,
      accountId: ACCOUNT,
      protocol: 'HTTP/1.1',
      stage: 'stage' in address ? address.stage : 'prod',
      domainPrefix: domainName.split('.')[0] ?? '',
      requestTimeEpoch: now.getTime(),
      requestId: randomUUID(),
      identity: IDENTITY,
      domainName,
      apiId: API_ID,
      authorizer: null,
    },
    body: body.length === 0 ? null : body.toString(isBinary ? 'base64' : 'utf8'),
    isBase64Encoded: body.length > 0 && isBinary,
  };
}

/**
 * Headers that a function never sees, and those of its answers that clients get under another name, as
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html lists them for REST APIs.
 */
const DROPPED =
  /^(?:connection|keep-alive|content-length|content-md5|expect|host|max-forwards|proxy-authenticate|server|te|trailer|transfer-encoding|upgrade|www-authenticate)$/i;
const RENAMED =
  /^(?:authorization|connection|content-md5|date|expect|host|max-forwards|proxy-authenticate|server|te|trailer|upgrade|user-agent|via|warn|www-authenticate)$/i;

function lists(pairs: [string, string][]): Record<string, string[]> | null {
  if (pairs.length === 0) return null;
  const lists: Record<string, string[]> = {};
  for (const [name, value] of pairs) lists[name] = [...(lists[name] ?? []), value];
  return lists;
}

/** What the gateway makes of an answer. */
export interface HttpAnswer {
  status: number;
  headers: [name: string, value: string][];
  body: AsyncIterable<Buffer>;
}

interface Prelude {
  statusCode: number;
  headers: Record<string, string>;
  cookies: string[];
}

/** @throws {Error} for an answer that the gateway would not understand, which it tells as a 502 */
export async function readAnswer({ mode, contentType, body }: Answered): Promise<HttpAnswer> {
  if (mode !== 'streaming' || contentType !== 'application/vnd.awslambda.http-integration-response') {
    throw new Error(`a ${mode} answer of the type ${contentType}`);
  }
  const pieces = body[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) throw new Error('a streamed answer without a head');
    head = Buffer.concat([head, value]);
    const at = head.indexOf(DELIMITER);
    if (at < 0) continue;
    const { statusCode, headers, cookies = [] } = JSON.parse(head.subarray(0, at).toString()) as Prelude;
    const first = head.subarray(at + DELIMITER.length);
    return {
      status: statusCode,
      headers: [...Object.entries(headers), ...cookies.map((cookie): [string, string] => ['set-cookie', cookie])],
      body: rest(first, pieces),
    };
  }
}

async function* rest(first: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
}

export async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/* ---- Over HTTP ------------------------------------------------------------------------------------------------ */

export interface Integration {
  function: DeployedFunction;
  /** Whether the path is no operation's, and comes here by the resources that catch everything. */
  isCaught: boolean;
}

export interface Gateway extends AsyncDisposable {
  /** Of the stage, without a slash at the end. */
  readonly url: string;
  /** The same API under a base path of a domain of one's own. */
  readonly urlOfDomain: string;
}

/** @param integrationOf by the first segment of the path */
export async function startGateway(
  stage: string,
  corsOrigins: readonly string[],
  integrationOf: (segment: string) => Integration,
): Promise<Gateway> {
  const server = createServer(async (incoming, response) => {
    try {
      await serve(incoming, response);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      // Lambda has refused the call (429, of which a proxy integration makes a 500), or the function has crashed.
      if (error instanceof FunctionError) return refuse(response, 'DEFAULT_5XX');
      say(response, 502, String(error));
    }
  });

  /** What the gateway says by itself. */
  function refuse(response: ServerResponse, type: RefusalType): void {
    const { status, headers, body } = refusalResponse(type, corsOrigins, randomUUID());
    response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://gateway');
    const [, prefix = '', ...rest] = url.pathname.split('/');
    const body = await wholeOf(incoming);
    const integration = integrationOf(rest[0] ?? '');
    if (![stage, BASE_PATH].includes(prefix)) return say(response, 403, 'no such stage');
    // Reserved for its own health check, where the API has a domain of its own.
    if (prefix === BASE_PATH && /^s?ping$/.test(rest[0] ?? '')) return say(response, 200, 'healthy');
    // Node's parser leaves them as they came.
    if (/[|{}]/.test(incoming.url?.split('?')[1] ?? '')) return say(response, 400, 'not encoded');
    if (body.length > GATEWAY_REQUEST_BYTES) return refuse(response, 'REQUEST_TOO_LARGE');
    const { rawHeaders, method = 'GET' } = incoming;
    const headers = rawHeaders.flatMap((name, i): [string, string][] =>
      i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : [],
    );
    const request = {
      method,
      path: `/${rest.join('/')}`,
      query: new URLSearchParams(url.search.replaceAll(';', '&')),
      headers,
      body,
    };
    const address = prefix === stage ? { stage } : { domain: 'api.example.org', basePath: prefix };
    const event = proxyEvent(request, address, integration.isCaught);
    if (Buffer.byteLength(JSON.stringify(event)) > PAYLOAD_BYTES) return refuse(response, 'REQUEST_TOO_LARGE');
    const answer = await readAnswer(await integration.function.invoke(event));
    const renamed = answer.headers.map(([name, value]) => [
      RENAMED.test(name) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]);
    response.writeHead(answer.status, renamed.flat());
    response.flushHeaders();
    // A client that has gone does not end the function: what it says is read to the end.
    for await (const piece of answer.body) if (!response.destroyed) response.write(piece);
    response.end();
  }

  const port = await listenOnLoopback(server);
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/${stage}`,
    urlOfDomain: `${origin}/${BASE_PATH}`,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

const BASE_PATH = 'lan';

function say(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ gateway: message }));
}
