/** `/openapi.json` and the page `/docs`, which loads nothing from anywhere else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const anonymous = { token: null };

test('the document is the one that is checked in; it needs no token, has a tag and is not sent twice', async () => {
  const file = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'openapi.json'), 'utf8'));
  const response = await system.request('GET', '/openapi.json', anonymous);
  expect([response.status, response.headers.get('content-type'), response.json]).toEqual([
    200,
    'application/json',
    file,
  ]);
  const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
  expect((await system.request('GET', '/openapi.json', { ...anonymous, headers })).status).toBe(304);
  const head = await system.request('HEAD', '/openapi.json', anonymous);
  expect([head.status, head.text]).toEqual([200, '']);
});

test.each(['', '/server', '/a/b'])(
  'behind the prefix "%s" the page, its files and the server are found',
  async (prefix) => {
    const page = await system.fetch('GET', `${prefix}/docs`, anonymous);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    const names = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
    const files = names.filter((name) => !name.startsWith('data:'));
    expect(files.sort()).toEqual(['docs/page.js', 'docs/swagger-ui-bundle.js', 'docs/swagger-ui.css', 'openapi.json']);
    const pathOf = (name: string, from: string) => new URL(name, `${system.url}${prefix}${from}`).pathname;
    for (const name of files) {
      const { status, text } = await system.request('GET', pathOf(name, '/docs'), anonymous);
      expect([name, status, text.length > 100]).toEqual([name, 200, true]);
      if (name.endsWith('.css')) expect(text).not.toMatch(/url\((?!["']?data:)|@import/);
    }
    const { json } = await system.request('GET', `${prefix}/openapi.json`, anonymous);
    const { url } = (json as { servers: [{ url: string }] }).servers[0];
    const server = pathOf(url, '/openapi.json').replace(/\/$/, '');
    expect((await system.request('GET', `${server}/health`)).status).toBe(200);
  },
);

test('a browser runs and loads only what comes from the service itself', async () => {
  for (const path of ['/docs', '/docs/page.js', '/docs/swagger-ui-bundle.js']) {
    const response = await system.fetch('GET', path, anonymous);
    await response.body?.cancel();
    const policy = response.headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
    expect(policy.filter((rule) => /https?:|\*|unsafe-eval/.test(rule))).toEqual([]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('with a slash at its end the page is elsewhere; other names and methods are refused as usual', async () => {
  const { status, headers } = await system.request('GET', '/server/docs/', anonymous);
  expect([status, headers.get('location')]).toEqual([308, '../docs']);
  expect((await system.request('GET', '/docs/../../package.json', anonymous)).status).toBe(404);
  expect((await system.request('GET', '/docs/absolute-path.js', anonymous)).status).toBe(404);
  const wrong = await system.request('POST', '/docs', anonymous);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('an edit whose If-None-Match names what it leads to is not answered as "not modified"', async () => {
  await system.importCsv('devName,devMAC\nnas,1E:0D:00:00:00:01\n');
  const path = '/devices/1E:0D:00:00:00:01';
  const edit = { body: { devName: 'nas' } };
  const first = await system.request('PATCH', path, edit);
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  const again = await system.request('PATCH', path, { ...edit, headers });
  expect([again.status, again.json]).toEqual([200, first.json]);
});

test.each(['1e2', '0x10', '5.0', '%2B1', '', '٣'])('a limit of "%s" is no number of items', async (limit) => {
  for (const path of ['/devices', '/events', '/jobs']) {
    const response = await system.request('GET', `${path}?limit=${encodeURI(limit).replaceAll('%25', '%')}`);
    expect([path, response.status]).toEqual([path, 400]);
  }
  expect((await system.request('GET', '/devices?limit=2')).status).toBe(200);
});
