/** Conventions of HTTP that clients rely on: limits and what is said of them, links, problem details. */
import { afterEach, expect, test, vi } from 'vitest';
import { ErrorBody } from '../../shared/errors.ts';
import { testApi } from '../support/test-api.ts';

const ORIGIN = 'https://dash.example.org';
const PER_MINUTE = 30;

const system = testApi();
/** Allows few requests, and stands behind a proxy on the same host. */
const limited = testApi({ corsOrigins: [ORIGIN], tokenRequestsPerMinute: PER_MINUTE, hasAgent: true });
afterEach(() => void vi.useRealTimers());

test('a token that makes too many requests gets 429 and is told when to go on; other tokens are not slowed down', async () => {
  const [token, other] = [await limited.createToken(), await limited.createToken()];
  // What a token may do again comes back with time: nothing does here, however slow the machine is.
  vi.useFakeTimers({ toFake: ['performance'] });
  const ask = (path: string, secret = token) =>
    limited.request('GET', path, { token: secret, headers: { origin: ORIGIN } });
  for (let left = PER_MINUTE - 1; left >= 0; left--) {
    // Refused requests count as well, once it is known whose they are.
    const [path, status] = left % 2 === 0 ? ['/devices/totals', 200] : ['/devices/by-status?status=no', 400];
    const answer = await ask(String(path));
    expect([answer.status, answer.headers.get('ratelimit-policy'), answer.headers.get('ratelimit')]).toEqual([
      status,
      '"default";q=30;w=60',
      `"default";r=${left};t=${2 * (PER_MINUTE - left)}`,
    ]);
  }
  const refused = await ask('/devices/totals');
  expect([refused.status, ErrorBody.parse(refused.json)]).toMatchObject([
    429,
    { code: 'too_many_requests', message: expect.stringContaining('30 requests in a minute; try again in 2 s') },
  ]);
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    'retry-after': '2',
    ratelimit: '"default";r=0;t=60',
    'cache-control': 'no-store',
    'access-control-allow-origin': ORIGIN,
  });
  const exposed = refused.headers.get('access-control-expose-headers')?.split(',');
  expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Retry-After', 'Link']));
  const cheap = await limited.measured('GET', '/devices/totals', { token });
  expect([cheap.status, cheap.consumed]).toEqual([429, { readUnits: 0.5, writeUnits: 0 }]); // Of the token alone.
  expect((await ask('/devices/totals', other)).status).toBe(200);
  expect((await limited.request('GET', '/health', { token: null })).headers.get('ratelimit')).toBeNull();
});

test('a request that waits for a command, and one that streams its events, count once', async () => {
  const token = await limited.createToken();
  vi.useFakeTimers({ toFake: ['performance'] });
  const waited = await limited.request('GET', '/nettools/interfaces', { token });
  expect([waited.status, waited.headers.get('ratelimit')]).toEqual([200, '"default";r=29;t=2']);
  const headers = { authorization: `Bearer ${token}` };
  const stream = await limited.stream('GET', '/nettools/interfaces', { token, headers });
  await stream.ended;
  expect(stream.headers.get('ratelimit')).toBe('"default";r=28;t=4');
});

test('a token without the scope of an operation is counted too, and a wrong one is told nothing of limits', async () => {
  const token = await limited.createToken({ scopes: ['nettools:run'] });
  const lacking = await limited.request('GET', '/devices', { token });
  expect([lacking.status, lacking.headers.get('ratelimit')]).toEqual([403, expect.stringContaining('r=29')]);
  const wrong = await limited.request('GET', '/devices', { token: 'wrong' });
  expect([wrong.status, wrong.headers.get('ratelimit')]).toEqual([403, null]);
});

test.each([
  ['GET', '/devices', 403, null, 'Forbidden'],
  ['GET', '/devices/by-status?status=no', 400, undefined, 'Bad Request'],
  ['GET', '/nope', 404, undefined, 'Not Found'],
  ['PUT', '/devices', 405, undefined, 'Method Not Allowed'],
  ['POST', '/devices/search', 415, undefined, 'Unsupported Media Type'],
] as const)('%s %s: %i as problem details for those who ask for them', async (method, path, status, token, title) => {
  const ask = (accept: string) =>
    system.request(method, path, {
      token,
      headers: { accept, 'content-type': 'text/plain' },
      ...(method === 'POST' ? { raw: 'x' } : {}),
    });
  const problem = await ask('application/problem+json, application/json;q=0.9');
  expect([problem.status, problem.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  const body = ErrorBody.parse(problem.json);
  expect(problem.json).toMatchObject({ type: 'about:blank', title, status, detail: body.message });
  for (const accept of ['application/json', '*/*', 'application/problem+json;q=0']) {
    const plain = await ask(accept);
    expect([plain.status, plain.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect({ ...Object(plain.json), requestId: '' }).toEqual({ ...body, requestId: '' });
  }
});

test.each([
  ['/devices', 'devices'],
  ['/events', 'events'],
  ['/devices/00:1E:06:00:00:01/events', 'events'],
  ['/audit', 'entries'],
])('%s: every page links to the next one, also under a prefix, and the last one to none', async (path, list) => {
  const site = await system.addSite('devName,devMAC\na,00:1E:06:00:00:01\nb,00:1E:06:00:00:02\nc,00:1E:06:00:00:03\n');
  for (const devName of ['x', 'y', 'z']) {
    await system.request('PATCH', '/devices/00:1E:06:00:00:01', { site, body: { devName } });
  }
  const seen: unknown[] = [];
  // The site is named by a header at first: links must say it again.
  let page = await system.request('GET', `/lan${path}?limit=1`, { site });
  for (let pages = 1; ; pages++) {
    const body = page.json as { nextCursor: string | null } & Record<string, unknown[]>;
    seen.push(...(body[list] ?? []));
    const [, next] = /^<(\/lan\/[^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
    expect([page.status, next === undefined]).toEqual([200, body.nextCursor === null]);
    if (next === undefined || pages > 20) break;
    expect(new URL(next, system.url).searchParams.get('cursor')).toBe(body.nextCursor);
    expect(new URL(next, system.url).searchParams.get('limit')).toBe('1');
    page = await system.request('GET', next);
  }
  const whole = await system.request('GET', path, { site });
  expect(seen.length).toBeGreaterThanOrEqual(3);
  expect(seen).toEqual((whole.json as Record<string, unknown[]>)[list]);
  expect(whole.headers.get('link')).toBeNull();
});
