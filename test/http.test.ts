/** HTTP manners that every operation shares. */
import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin } from '../shared/api/admin.ts';
import { devices } from '../shared/api/devices.ts';
import { health } from '../shared/api/health.ts';
import { jobs } from '../shared/api/jobs.ts';
import { metrics } from '../shared/api/metrics.ts';
import { nettools } from '../shared/api/nettools.ts';
import type { Operation } from '../shared/api/operation.ts';
import { overview } from '../shared/api/overview.ts';
import { ErrorBody } from '../shared/errors.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

const OPERATIONS = Object.entries<Operation>({
  ...devices,
  ...nettools,
  ...jobs,
  ...admin,
  ...health,
  ...metrics,
  ...overview,
});
const GUARDED = OPERATIONS.filter(([, { scope }]) => scope !== null);
const WITH_SCOPE = GUARDED.filter(([, { scope }]) => scope !== 'any');
const WITH_BODY = GUARDED.filter(([, { body }]) => body !== undefined);
const WITH_REQUIRED_FIELDS = WITH_BODY.filter(([, { bodyOptional }]) => !bodyOptional);

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem({ CORS_ORIGINS: 'https://dash.example.org' });
});
afterAll(() => system.close());

function pathOf({ path, example }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => example.params?.[name] ?? name);
}

const FORBIDDEN = { success: false, error: 'Forbidden', message: 'ERROR: Not authorized', code: 'forbidden' };

/** A request from an address of this host. Too many refused ones from one address would be answered with 429. */
async function requestFrom(localAddress: string, path: string, method: string, headers: object, body?: string) {
  // Of a DELETE, Node.js does not tell the length by itself.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = request(system.url + path, { method, localAddress, headers: { ...headers, ...length } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, json: JSON.parse(await text(response)) };
}

test.each(GUARDED)('%s: without a token, or with a wrong one, 403 before anything else', async (name, operation) => {
  const address = `127.0.1.${1 + GUARDED.findIndex(([one]) => one === name)}`;
  for (const authorization of [
    undefined,
    'Bearer',
    'Bearer wrong',
    `Basic ${system.token}`,
    system.token,
    `Bearer ${system.token}x`,
  ]) {
    const headers = authorization === undefined ? {} : { authorization };
    const body = operation.body === undefined ? undefined : 'not even JSON';
    const refused = await requestFrom(address, pathOf(operation), operation.method, headers, body);
    expect([refused.status, refused.headers['cache-control']]).toEqual([403, 'no-store']);
    expect(refused.json).toMatchObject(FORBIDDEN);
  }
});

test.each(WITH_SCOPE)('%s: a valid token without the scope is 403', async (_, operation) => {
  const others = ['devices:read', 'devices:write', 'nettools:run', 'admin'].filter(
    (scope) => scope !== operation.scope,
  );
  const token = await system.createToken({ scopes: others });
  const response = await system.request(operation.method, pathOf(operation), { token });
  expect(response.status).toBe(403);
  expect(response.json).toMatchObject({ success: false, error: 'Forbidden', code: 'forbidden' });
});

test.each(OPERATIONS)('%s: another method on its path is 405 and names those that work', async (_, operation) => {
  const path = pathOf(operation);
  const known = OPERATIONS.filter(([, other]) => pathOf(other) === path).map(([, { method }]) => method);
  const response = await system.request('PUT', path);
  expect(response.status).toBe(405);
  const allowed = response.headers.get('allow')?.split(', ') ?? [];
  expect(allowed).toEqual(expect.arrayContaining([...known, 'OPTIONS']));
  expect(ErrorBody.parse(response.json).code).toBe('method_not_allowed');
});

test.each(WITH_REQUIRED_FIELDS)(
  '%s: a body that is missing, no JSON, no object or of another type is refused',
  async (_, operation) => {
    const path = pathOf(operation);
    const headers = { 'content-type': 'application/json' };
    for (const body of [undefined, '', '{', '[]', 'null', '"text"', '5', '{}', '\u00ff\u00fe']) {
      const response = await system.request(operation.method, path, {
        headers,
        ...(body === undefined ? {} : { raw: body }),
      });
      expect([response.status, response.json]).toEqual([400, expect.objectContaining({ code: 'validation_failed' })]);
      expect(ErrorBody.parse(response.json).errors?.length).toBeGreaterThan(0);
    }
    const form = await system.request(operation.method, path, { headers: { 'content-type': 'text/plain' }, raw: '{}' });
    expect([form.status, form.json]).toEqual([415, expect.objectContaining({ code: 'unsupported_media_type' })]);
  },
);

test.each(WITH_REQUIRED_FIELDS)('%s: every field of the wrong type is named', async (_, operation) => {
  const shape = (
    operation.body as unknown as { shape: Record<string, { safeParse(v: unknown): { success: boolean } }> }
  ).shape;
  for (const field of Object.keys(shape)) {
    for (const wrong of [null, 5, true, {}, [[]], '']) {
      if (shape[field]?.safeParse(wrong).success) continue;
      const body = { ...(operation.example.body as object), [field]: wrong };
      const response = await system.request(operation.method, pathOf(operation), { body });
      expect(response.status, `${field}: ${JSON.stringify(wrong)}`).toBe(400);
      const errors = ErrorBody.parse(response.json).errors ?? [];
      expect(errors.every(({ path }) => path.split('.')[0] === field)).toBe(true);
    }
  }
});

const TAKING_BODIES = OPERATIONS.filter(([, { body }]) => body !== undefined);

test.each(TAKING_BODIES)('%s: a body that is larger than it needs is 413', async (name, operation) => {
  const large: Record<string, [number, string]> = {
    importDevices: [10 * 1024 * 1024, '10 MB'],
    deleteDevices: [4 * 1024 * 1024, '4 MB'],
    restoreDevices: [4 * 1024 * 1024, '4 MB'],
    editDevice: [256 * 1024, '256 KB'],
    editDevices: [256 * 1024, '256 KB'],
  };
  const [most, inWords] = large[name] ?? [64 * 1024, '64 KB'];
  const body = Buffer.alloc(most + 1, ' ');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${system.token}` };
  const { method } = operation;
  const announced = await system.request(method, pathOf(operation), { headers, raw: body });
  expect([announced.status, announced.json]).toMatchObject([
    413,
    { code: 'payload_too_large', message: `The body is larger than ${inWords}` },
  ]);
  const streamed = await fetch(system.url + pathOf(operation), {
    method,
    headers,
    body: new Blob([body]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect([streamed.status, streamed.headers.get('connection')]).toEqual([413, 'close']);
  const fits = await system.request(method, pathOf(operation), { headers, raw: body.subarray(0, most) });
  expect(fits.status).toBe(400); // It is read, and is no JSON.
});

test('an operation without a body is answered before one that is announced has come', async () => {
  const { hostname, port } = new URL(system.url);
  const headers = { authorization: `Bearer ${system.token}`, 'content-length': '1000000' };
  const sent = request({ hostname, port, method: 'GET', path: '/devices/totals', headers });
  sent.on('error', () => {}); // It is cut off below.
  sent.write('[');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  sent.destroy();
});

test('a large body that does not come keeps nobody else waiting, and its place is free when it is given up', async () => {
  const { hostname, port } = new URL(system.url);
  const site = await system.addSite();
  const hoarder = await system.createToken({ sites: [site] });
  const halves = Array.from({ length: 60 }, () => {
    const headers = {
      authorization: `Bearer ${hoarder}`,
      'content-type': 'application/json',
      'content-length': String(1024 * 1024),
    };
    const sent = request({ hostname, port, method: 'DELETE', path: '/devices', headers });
    const status = new Promise<number | null>((resolve) => {
      sent.once('error', () => resolve(null));
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    sent.write('{"macs": [');
    return { sent, status };
  });
  // Four of the token are read, 32 wait for that, and the others are refused.
  const refused: (number | null)[] = [];
  for (const { status } of halves) void status.then((got) => refused.push(got));
  await expect.poll(() => refused).toEqual(Array(24).fill(503));

  const large = { raw: `{"macs": []${' '.repeat(100_000)}}`, headers: { 'content-type': 'application/json' }, site };
  expect((await system.request('DELETE', '/devices', large)).json).toEqual({
    success: true,
    deleted_count: 0,
    change: null,
  });
  const small = { body: { macs: [] }, site, token: hoarder };
  expect((await system.request('DELETE', '/devices', small)).status).toBe(200);
  for (const { sent } of halves) sent.destroy();
  await Promise.all(halves.map(({ status }) => status));
  await expect
    .poll(async () => (await system.request('DELETE', '/devices', { ...large, token: hoarder })).status)
    .toBe(200);
});

test('JSON that is nested deep, or holds very much, is refused', async () => {
  const headers = { 'content-type': 'application/json' };
  const deep = await system.request('POST', '/devices/search', { headers, raw: `{"query":${'['.repeat(30_000)}` });
  expect([deep.status, deep.json]).toMatchObject([400, { message: 'expected JSON with at most 64 levels' }]);
  const wide = await system.request('DELETE', '/devices', { headers, raw: `{"macs":[${'1,'.repeat(1_000_000)}1]}` });
  expect([wide.status, wide.json]).toMatchObject([400, { message: 'expected JSON with at most 200000 values' }]);
});

test('of many faults the first twenty are named, and the others counted', async () => {
  const wrongTypes = await system.request('DELETE', '/devices', { body: { macs: Array(100_000).fill(1) } });
  expect(wrongTypes.status).toBe(400);
  const body = ErrorBody.parse(wrongTypes.json);
  expect(body.errors).toHaveLength(20);
  expect(body.errors?.[0]).toEqual({ path: 'macs.0', message: 'expected string, received number' });
  expect([body.errorsOmitted, body.message.length < 500]).toEqual([99_980, true]);
  expect(body.message).toMatch(/; and 99995 more$/);
  const tooMany = await system.request('DELETE', '/devices', { body: { macs: Array(100_001).fill(1) } });
  expect(ErrorBody.parse(tooMany.json).errors).toEqual([
    { path: 'macs', message: 'expected at most 100000 items, got 100001' },
  ]);
  const scopes = await system.request('POST', '/tokens', { body: { name: 'x', sites: '*', scopes: Array(5).fill(1) } });
  expect(ErrorBody.parse(scopes.json).errors).toEqual([{ path: 'scopes', message: 'expected at most 4 items, got 5' }]);
  const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${i}${'x'.repeat(50)}`, 1]));
  const unknownKeys = await system.request('DELETE', '/devices', { body: keys });
  expect([unknownKeys.status, unknownKeys.text.length < 1_000]).toEqual([400, true]);
});

test('no answer is taken for something else than it says', async () => {
  for (const [method, path] of [
    ['GET', '/devices'],
    ['GET', '/devices/export'],
    ['GET', '/nope'],
    ['PUT', '/devices'],
    ['OPTIONS', '/devices'],
    ['POST', '/devices/search'],
    ['GET', '/health'],
  ] as const) {
    for (const headers of [{}, { origin: 'https://dash.example.org', 'access-control-request-method': 'GET' }]) {
      const response = await system.request(method, path, { headers });
      expect([path, response.headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    }
  }
  const refused = await system.request('GET', '/devices', { token: null });
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
});

test("a compressed body is refused by name, and a body that breaks off is the client's affair", async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const packed = await system.request('POST', '/devices/search', { headers, raw: '{"query":"x"}' });
  expect([packed.status, packed.json]).toMatchObject([415, { message: expect.stringContaining('gzip') }]);
});

test('a link to the next page never leads to another host', async () => {
  const site = await system.addSite('devName,devMAC\na,1E:08:00:00:00:01\nb,1E:08:00:00:00:02\n');
  const { hostname, port } = new URL(system.url);
  const link = await new Promise<string>((resolve, reject) => {
    const path = '//evil.example/devices?limit=1';
    const headers = { authorization: `Bearer ${system.token}`, 'x-site': site };
    get({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(String(response.headers.link));
    }).on('error', reject);
  });
  expect(link).toMatch(/^<\/evil\.example\/devices\?/);
});

test('an unknown path is 404 in the same shape, with or without a token', async () => {
  for (const path of ['/', '/nope', '/devices/nope', '/nettools', '/devices/export/csv/x']) {
    const response = await system.request('GET', path, { token: null });
    expect([path, response.status]).toEqual([path, 404]);
    expect(ErrorBody.parse(response.json).code).toBe('not_found');
  }
});

test('a request id is taken over where it is harmless, and made otherwise', async () => {
  const given = await system.request('GET', '/devices/totals', { headers: { 'x-request-id': 'abc-1.2_3' } });
  expect(given.headers.get('x-request-id')).toBe('abc-1.2_3');
  const refused = await system.request('GET', '/nope', { headers: { 'x-request-id': 'a b"' } });
  expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(refused.json).toMatchObject({ requestId: refused.headers.get('x-request-id') });
});

test('a path prefix in front, and a slash at the end, make no difference', async () => {
  for (const path of ['/server/devices/totals', '/a/b/c/devices/totals', '/devices/totals/']) {
    expect((await system.request('GET', path)).json).toEqual([0, 0, 0, 0, 0, 0]);
  }
});

test('HEAD answers like GET, without a body', async () => {
  const response = await fetch(`${system.url}/devices/totals`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${system.token}` },
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

test.each(OPERATIONS.filter(([, { method, isCommand }]) => method === 'GET' && isCommand))(
  '%s: HEAD runs no command, and is told what works',
  async (_, operation) => {
    const before = await system.jobCount();
    const head = await system.request('HEAD', pathOf(operation));
    expect([head.status, head.headers.get('allow'), head.text]).toEqual([405, 'GET, OPTIONS', '']);
    const options = await system.request('OPTIONS', pathOf(operation));
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, OPTIONS']);
    expect(await system.jobCount()).toBe(before);
  },
);

test('a media type on a request without a body changes nothing', async () => {
  const headers = { 'content-type': 'text/plain' };
  expect((await system.request('GET', '/devices/totals', { headers })).status).toBe(200);
  expect((await system.request('DELETE', '/devices?dryRun=true', { headers })).json).toEqual({
    success: true,
    deleted_count: 0,
    change: null,
  });
});

test('browsers: only configured origins, a preflight without a token, headers that pages may read', async () => {
  const preflight = (origin: string) =>
    fetch(`${system.url}/devices/totals`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
    });
  const allowed = await preflight('https://dash.example.org');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://dash.example.org');
  expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
  expect(allowed.headers.get('access-control-allow-methods')).toContain('GET');
  expect((await preflight('https://evil.example.org')).headers.get('access-control-allow-origin')).toBeNull();
  for (const [path, token] of [
    ['/devices/totals', system.token],
    ['/devices/totals', null],
    ['/nope', null],
  ] as const) {
    const response = await system.request('GET', path, { token, headers: { origin: 'https://dash.example.org' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://dash.example.org');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('vary')).toMatch(/Origin/);
  }
});

test('lists are compressed on request, carry a tag, and are not sent twice', async () => {
  await system.importCsv(
    `devName,devMAC\n${Array.from({ length: 300 }, (_, i) => `device ${i},${(0x1e0600000000 + i).toString(16).padStart(12, '0')}`).join('\n')}\n`,
  );
  for (const path of [
    '/devices',
    '/devices?fields=all',
    '/devices/by-status',
    '/devices/network/topology',
    '/devices/export',
    '/devices/export/json',
  ]) {
    const plain = await system.request('GET', path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const packed = await system.rawGet(path, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).toString()).toBe(plain.text);
    const etag = packed.headers.etag ?? '';
    expect(etag).not.toBe('');
    const again = await system.request('GET', path, { headers: { 'if-none-match': `"other", ${etag}` } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
  }
  const before = (await system.request('GET', '/devices')).headers.get('etag') ?? '';
  await system.request('DELETE', '/devices', { body: { macs: ['1E:06:00:00:00:01'] } });
  const after = await system.request('GET', '/devices', { headers: { 'if-none-match': before } });
  expect(after.status).toBe(200);
  expect(after.headers.get('etag')).not.toBe(before);
});

test('health needs no token and says nothing that would', async () => {
  const health = await system.request('GET', '/health', { token: null });
  expect([health.status, Object.keys(health.json as object)]).toEqual([200, ['status', 'version']]);
  const ready = await system.request('GET', '/health/ready', { token: null });
  expect([ready.status, ready.json]).toEqual([200, { status: 'ready' }]);
});
