import { expect, test } from 'vitest';
import type { Operation } from '../../shared/api/operation.ts';
import { ErrorBody } from '../../shared/errors.ts';
import { operations } from '../lambda/operations.ts';
import { testApi } from '../support/test-api.ts';

const WITH_SCOPE = [...operations].filter(([, { scope }]) => scope !== null && scope !== 'any');

const system = testApi({ corsOrigins: ['https://dash.example.org'] });

function pathOf({ path, example }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => example.params?.[name] ?? name);
}

test.each(WITH_SCOPE)('%s: a valid token without the scope is 403', async (_, operation) => {
  const others = ['devices:read', 'devices:write', 'nettools:run', 'admin'].filter(
    (scope) => scope !== operation.scope,
  );
  const token = await system.createToken({ scopes: others });
  const response = await system.request(operation.method, pathOf(operation), { token });
  expect(response.status).toBe(403);
  expect(response.json).toMatchObject({ success: false, error: 'Forbidden', code: 'forbidden' });
});

test('of many faults the first twenty are named, and the others counted', async () => {
  const wrongTypes = await system.request('DELETE', '/devices', { body: { macs: Array(100_000).fill(1) } });
  expect(wrongTypes.status).toBe(400);
  const body = ErrorBody.parse(wrongTypes.json);
  expect(body.errors).toHaveLength(20);
  expect(body.errors?.[0]).toEqual({ path: 'macs.0', message: 'expected string, received number' });
  expect([body.errorsOmitted, body.message.length < 500]).toEqual([99_980, true]);
  expect(body.message).toMatch(/; and 99995 more$/);
  // The items of a list that is too long are not judged.
  const scopes = await system.request('POST', '/tokens', { body: { name: 'x', sites: '*', scopes: Array(5).fill(1) } });
  expect(ErrorBody.parse(scopes.json).errors).toEqual([{ path: 'scopes', message: 'expected at most 4 items, got 5' }]);
  const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${i}${'x'.repeat(50)}`, 1]));
  const unknownKeys = await system.request('DELETE', '/devices', { body: keys });
  expect([unknownKeys.status, unknownKeys.text.length < 1_000]).toEqual([400, true]);
});

test('a compressed body is rejected with the name of its encoding', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const packed = await system.request('POST', '/devices/search', { headers, raw: '{"query":"x"}' });
  expect([packed.status, packed.json]).toMatchObject([415, { message: expect.stringContaining('gzip') }]);
});

test('a link to the next page never leads to another host', async () => {
  const site = await system.addSite('devName,devMAC\na,1E:08:00:00:00:01\nb,1E:08:00:00:00:02\n');
  const { headers } = await system.request('GET', '//evil.example/devices?limit=1', { site });
  expect(headers.get('link')).toMatch(/^<\/evil\.example\/devices\?/);
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

test.each([...operations].filter(([, { method, isCommand }]) => method === 'GET' && isCommand))(
  '%s: HEAD runs no command, and is told what works',
  async (_, operation) => {
    const head = await system.request('HEAD', pathOf(operation));
    expect([head.status, head.headers.get('allow'), head.text]).toEqual([405, 'GET, OPTIONS', '']);
    const options = await system.request('OPTIONS', pathOf(operation));
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, OPTIONS']);
    expect((await system.request('GET', '/jobs')).json).toMatchObject({ jobs: [] });
  },
);

test('health needs no token and says nothing that would', async () => {
  const health = await system.request('GET', '/health', { token: null });
  expect([health.status, Object.keys(health.json as object)]).toEqual([200, ['status', 'version']]);
  const ready = await system.request('GET', '/health/ready', { token: null });
  expect([ready.status, ready.json]).toEqual([200, { status: 'ready' }]);
});
