import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeConsoleBuild } from '../support/console-build.ts';
import { macOf } from '../support/fixtures.ts';
import type { TestApi } from '../support/in-process.ts';
import { testApi } from '../support/test-api.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const ORIGIN = 'https://dash.example.org';
const LIMIT = { tokenRequestsPerMinute: 1_000 };

const folder = makeTestFolder();
const consoleFolder = join(folder.path, 'console');
beforeAll(() => writeConsoleBuild(consoleFolder));
/** Which pages of other origins may not read. */
const plain = testApi({ ...LIMIT, consoleFolder, hasAgent: true });
const shared = testApi({ ...LIMIT, consoleFolder, hasAgent: true, corsOrigins: [ORIGIN] });
beforeAll(async () => {
  const devices = Array.from({ length: 300 }, (_, i) => `device ${i},${macOf(i)}`);
  for (const system of [plain, shared]) await system.importCsv(`devName,devMAC\n${devices.join('\n')}\n`);
});
afterAll(() => folder.remove());

interface Asked {
  headers?: Record<string, string>;
  /** Without one, the root token. */
  token?: string | null;
  body?: string;
}

/** The status and the headers, sorted, with `…` for what differs each time; and the request id apart. */
async function headersOf(system: TestApi, line: string, { headers = {}, token, body }: Asked = {}) {
  const [method = '', path = ''] = line.split(' ');
  const response = await system.fetch(method, path, {
    token,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    raw: body,
  });
  await response.body?.cancel();
  const { 'x-request-id': id, 'x-content-type-options': sniffing, ...others } = Object.fromEntries(response.headers);
  const shown = Object.entries(others)
    .filter(([name, value]) => name !== 'content-length' && !(name === 'connection' && value === 'keep-alive'))
    .map(([name, value]) => `${name}: ${normal(name, String(value))}`);
  return { id, sniffing, shown: [String(response.status), ...shown.sort()].join(' | ') };
}

function normal(name: string, value: string): string {
  if (name === 'etag') return value.replace(/"[^"]+"/, '"…"');
  if (name === 'ratelimit') return value.replace(/=\d+/g, '=…');
  if (name === 'location') return value.replace(/home\.[\w-]+/, '…');
  if (name === 'permissions-policy' || name === 'content-security-policy') return '…';
  return name === 'link' ? value.replace(/cursor=[^&>]+/, 'cursor=…') : value;
}

const GZIP = { headers: { 'accept-encoding': 'gzip' } };
const ANYONE: Asked = { token: null };
const BROWSER: Asked = { token: null, headers: { accept: 'text/html' } };
const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const MCP = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

/** Answers of a system without limits and without other origins, and the requests that get them. */
const ANSWERS: readonly [expected: string, ...requests: [line: string, asked: Asked][]][] = [
  [
    '200 | cache-control: no-store | content-type: application/json | vary: Accept-Encoding',
    ['GET /health', ANYONE],
    ['HEAD /health', ANYONE],
    ['GET /devices/latest', {}],
    ['POST /devices/search', { body: '{"query":"no such"}' }],
    ['DELETE /devices?dryRun=true', {}],
    ['GET /sites', {}],
  ],
  ['204 | allow: GET, HEAD, OPTIONS', ['OPTIONS /health', ANYONE]],
  [
    '405 | allow: GET, HEAD, OPTIONS | cache-control: no-store | content-type: application/json',
    ['PUT /health', ANYONE],
  ],
  ['404 | cache-control: no-store | content-type: application/json', ['GET /nope', ANYONE]],
  ['302 | location: console/ | vary: Accept', ['GET /', BROWSER]],
  [
    '403 | cache-control: no-store | content-type: application/json | www-authenticate: Bearer',
    ['GET /devices', ANYONE],
  ],
  [
    '200 | cache-control: private, no-cache | content-encoding: gzip | content-type: application/json | etag: W/"…" | lanreach-stale-since: none | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /devices', GZIP],
    ['HEAD /devices', GZIP],
    ['GET /devices?sort=name', GZIP],
    ['HEAD /devices?sort=name', GZIP],
    ['GET /devices/by-status?status=my', GZIP],
  ],
  [
    '200 | cache-control: private, no-cache | content-type: application/json | etag: W/"…" | lanreach-stale-since: none | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /devices', {}],
    ['HEAD /devices', {}],
    ['GET /devices/by-status?status=my', {}],
  ],
  [
    '200 | cache-control: private, no-cache | content-type: application/json | etag: W/"…" | lanreach-stale-since: none | link: </devices?limit=2&site=home&cursor=…>; rel="next" | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /devices?limit=2', {}],
  ],
  [
    '400 | cache-control: no-store | content-type: application/json',
    ['GET /devices?limit=no', {}],
    ['POST /devices/search', { body: '{' }],
    ['GET /devices/export?format=xml', {}],
  ],
  ['403 | cache-control: no-store | content-type: application/json', ['GET /devices?site=other', {}]],
  [
    '200 | cache-control: no-store | content-type: application/json | lanreach-stale-since: none | vary: Accept-Encoding',
    ['GET /devices/totals', {}],
    ['HEAD /devices/totals', {}],
    ['GET /devices/totals/named', {}],
  ],
  [
    '200 | cache-control: no-store | content-encoding: gzip | content-type: application/json | vary: Accept-Encoding',
    ['POST /devices/search', { body: '{"query":"device"}', ...GZIP }],
  ],
  [
    '413 | cache-control: no-store | connection: close | content-type: application/json',
    ['POST /devices/search', { body: `{"query":"${'x'.repeat(70_000)}"}` }],
  ],
  [
    '200 | cache-control: private, no-cache | content-encoding: gzip | content-type: application/json | etag: W/"…" | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /devices/network/topology', GZIP],
  ],
  [
    '200 | cache-control: private, no-cache | content-disposition: attachment; filename=devices.csv | content-encoding: gzip | content-type: text/csv; charset=utf-8 | etag: W/"…" | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /devices/export', GZIP],
  ],
  [
    '200 | cache-control: private, no-cache | content-type: application/json | etag: W/"…" | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /devices/export/json', {}],
  ],
  [
    '200 | cache-control: private, no-cache | content-type: application/json | etag: "…" | vary: Accept-Encoding',
    ['GET /devices/00:1E:06:00:00:01', {}],
    ['GET /devices/00:1E:06:00:00:FF/ports', {}],
  ],
  [
    '201 | cache-control: no-store | content-type: application/json | vary: Accept-Encoding',
    ['POST /sites', { body: '{"id":"second"}' }],
  ],
  [
    '202 | cache-control: no-store | content-type: application/json | location: /jobs/… | preference-applied: respond-async | retry-after: 2 | vary: Accept-Encoding',
    ['GET /nettools/interfaces', { headers: { prefer: 'respond-async' } }],
  ],
  [
    '200 | cache-control: no-store | content-type: text/event-stream | x-accel-buffering: no',
    ['GET /nettools/interfaces', { headers: { accept: 'text/event-stream' } }],
    ['GET /events', { headers: { accept: 'text/event-stream' } }],
  ],
  [
    '200 | cache-control: no-store | content-type: text/plain; version=0.0.4; charset=utf-8 | etag: "…" | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /metrics', {}],
  ],
  [
    '200 | cache-control: private, no-cache | content-encoding: gzip | content-type: application/json | etag: "…" | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /openapi.json', { ...ANYONE, ...GZIP }],
  ],
  [
    '200 | cache-control: private, no-cache | content-security-policy: … | content-type: text/html; charset=utf-8 | etag: "…" | referrer-policy: no-referrer | vary: Accept-Encoding, Authorization, X-Site',
    ['GET /docs', ANYONE],
  ],
  ['308 | location: ../docs', ['GET /docs/', ANYONE]],
  [
    '302 | content-security-policy: … | cross-origin-opener-policy: same-origin | location: console/index.html | permissions-policy: … | referrer-policy: no-referrer | x-robots-tag: noindex, nofollow',
    ['GET /console', ANYONE],
  ],
  [
    '200 | cache-control: no-cache | content-security-policy: … | content-type: text/html; charset=utf-8 | cross-origin-opener-policy: same-origin | etag: "…" | permissions-policy: … | referrer-policy: no-referrer | vary: Accept-Encoding | x-robots-tag: noindex, nofollow',
    ['GET /console/index.html', ANYONE],
  ],
  [
    '404 | cache-control: no-store | content-security-policy: … | content-type: application/json | cross-origin-opener-policy: same-origin | permissions-policy: … | referrer-policy: no-referrer | x-robots-tag: noindex, nofollow',
    ['GET /console/assets/none.js', ANYONE],
  ],
  [
    '401 | cache-control: no-store | content-type: application/json | www-authenticate: Bearer error="invalid_token", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp", scope="devices:read devices:write nettools:run"',
    ['POST /mcp', { body: LIST_TOOLS, headers: MCP, token: 'a-wrong-token-0123' }],
  ],
  [
    '200 | cache-control: no-cache, no-transform | content-type: text/event-stream | x-accel-buffering: no',
    ['POST /mcp', { body: LIST_TOOLS, headers: MCP }],
  ],
];
const REQUESTS = ANSWERS.flatMap(([expected, ...requests]) =>
  requests.map(([line, asked]) => [line, asked, expected] as const),
);

const EXPOSED =
  'ETag,LanReach-Stale-Since,LanReach-Token-Expires,Link,Location,Preference-Applied,RateLimit,RateLimit-Policy,X-Request-Id,Retry-After,Content-Disposition';

/** With what says how many requests the token has left, and what lets a page of another origin read the answer. */
function withAdded(expected: string, { isCounted, isShared }: { isCounted: boolean; isShared: boolean }): string {
  const [status = '', ...headers] = expected.split(' | ');
  const vary = headers.find((header) => header.startsWith('vary: '));
  const sharing = [
    ...headers.filter((header) => header !== vary),
    `access-control-allow-origin: ${ORIGIN}`,
    `access-control-expose-headers: ${EXPOSED}`,
    vary === undefined ? 'vary: Origin' : `${vary}, Origin`,
  ];
  const limit = isCounted ? ['ratelimit-policy: "default";q=1000;w=60', 'ratelimit: "default";r=…;t=…'] : [];
  return [status, ...[...(isShared ? sharing : headers), ...limit].sort()].join(' | ');
}

test.each(REQUESTS)('%$: %s', async (line, asked, expected) => {
  const isCounted = asked.token === undefined;
  const { id, sniffing, shown } = await headersOf(plain, line, asked);
  expect([shown, sniffing, id]).toEqual([
    withAdded(expected, { isCounted, isShared: false }),
    'nosniff',
    expect.stringMatching(/^[0-9a-f-]{36}$/),
  ]);
  const headers = { ...asked.headers, origin: ORIGIN, 'x-request-id': 'own' };
  expect(await headersOf(shared, line, { ...asked, headers })).toEqual({
    id: 'own',
    sniffing: 'nosniff',
    // An OPTIONS request that is no preflight asks for the methods, and not for leave to read the answer.
    shown: withAdded(expected, { isCounted, isShared: !line.startsWith('OPTIONS') }),
  });
});

const BY_SITE = 'vary: Accept-Encoding, Authorization, X-Site';

test.each([
  [`etag: W/"…" | lanreach-stale-since: none | ${BY_SITE}`, '', '?limit=2', '?sort=name', '/by-status'],
  [`etag: W/"…" | ${BY_SITE}`, '/network/topology', '/export/json'],
  ['etag: "…" | vary: Accept-Encoding', '/00:1E:06:00:00:01', '/facets'],
])('an answer without its body, because the client has it, keeps the other headers: %s', async (expected, ...of) => {
  const shown = withAdded(`304 | cache-control: private, no-cache | ${expected}`, { isCounted: true, isShared: true });
  for (const path of of.map((one) => `/devices${one}`)) {
    for (const method of ['GET', 'HEAD']) {
      const etag = (await shared.request('GET', path)).headers.get('etag');
      const headers = { 'if-none-match': `"other", ${etag}`, origin: ORIGIN, 'x-request-id': 'own' };
      const answer = await headersOf(shared, `${method} ${path}`, { headers });
      expect([path, answer]).toEqual([path, { id: 'own', sniffing: 'nosniff', shown }]);
    }
  }
});

test('a page of an origin that is not allowed gets no leave to read the answer', async () => {
  const { headers } = await shared.rawGet('/devices/totals', { origin: 'https://other.example.org' });
  expect([headers['access-control-allow-origin'], headers.vary]).toEqual([undefined, 'Accept-Encoding, Origin']);
});

test('a preflight request has an id as well', async () => {
  const headers = { origin: ORIGIN, 'access-control-request-method': 'GET', 'x-request-id': 'own' };
  const { id, sniffing, shown } = await headersOf(shared, 'OPTIONS /devices', { ...ANYONE, headers });
  expect([id, sniffing, shown.split(' | ')]).toEqual([
    'own',
    'nosniff',
    [
      '204',
      'access-control-allow-headers: Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,Last-Event-ID,MCP-Protocol-Version,Mcp-Method,Mcp-Name,Prefer,X-Request-Id,X-Site',
      'access-control-allow-methods: DELETE,GET,HEAD,OPTIONS,PATCH',
      `access-control-allow-origin: ${ORIGIN}`,
      `access-control-expose-headers: ${EXPOSED}`,
      'access-control-max-age: 600',
      'vary: Origin, Access-Control-Request-Headers',
    ],
  ]);
});
