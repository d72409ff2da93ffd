/** The files of the web console at `/console/`, and the way there from the base URL. */
import { rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ErrorBody } from '../shared/errors.ts';
import { CONSOLE_FILES, CONSOLE_PAGE, CONSOLE_WORKER, writeConsoleBuild } from './support/console-build.ts';
import { startTestApi, type TestApi } from './support/in-process.ts';
import { makeTestFolder } from './support/test-folder.ts';

const SCRIPT = 'app-4f2a9c1e.js';
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const folder = makeTestFolder();
const consoleFolder = join(folder.path, 'console');
let system: TestApi;
beforeAll(async () => {
  system = await startTestApi({ consoleFolder, listens: true });
});
beforeEach(() => writeConsoleBuild(consoleFolder));
afterAll(async () => {
  await system?.close();
  await folder.remove();
});

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** What the API says instead of a file. */
  error: ErrorBody | null;
}

/** A request whose path is sent as it is: `fetch` would resolve the dots in it, and follow redirects. */
function raw(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  const { port } = new URL(system.url);
  return new Promise<Raw>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, async (response) => {
      const body = await buffer(response);
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body, error: status < 400 ? null : ErrorBody.parse(JSON.parse(body.toString())) });
    });
    sent.on('error', reject).end();
  });
}

test.each(['', '/server', '/a/b'])(
  'behind the prefix "%s" each way leads to the page, and what it names is there',
  async (prefix) => {
    const address = `${system.url}${prefix}/console/`;
    const ways = [
      [`${prefix}/console/`, {}, `${prefix}/console/`],
      [`${prefix}/console`, {}, `${prefix}/console/index.html`],
      [`${prefix}/`, BROWSER, `${prefix}/console/`],
    ] as const;
    for (const [path, headers, end] of ways) {
      const page = await fetch(`${system.url}${path}`, { headers });
      expect([page.url, page.status, page.headers.get('content-type'), await page.text()]).toEqual([
        ...[`${system.url}${end}`, 200, 'text/html; charset=utf-8', CONSOLE_PAGE],
      ]);
    }
    const names = [...CONSOLE_PAGE.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
    expect(names).toHaveLength(3);
    for (const name of names) expect([name, (await fetch(new URL(name, address))).status]).toEqual([name, 200]);
  },
);

test('a base URL without its slash leads a browser nowhere: the console would be searched beside the prefix', async () => {
  expect((await raw('/server', { headers: BROWSER })).status).toBe(404);
});

test.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/html;q=0' }])(
  'at the base URL, who sends %j gets what an unknown path gets',
  async (headers) => {
    const { status, error } = await raw('/', { headers });
    const message = expect.stringContaining('The path / does not exist');
    expect([status, error]).toMatchObject([404, { code: 'not_found', message }]);
  },
);

test.each(Object.entries(CONSOLE_FILES))('%s: its bytes, its type, kept for good', async (name, { type, content }) => {
  const plain = await raw(`/console/assets/${name}`);
  expect([plain.status, plain.headers['content-encoding'], plain.body.equals(content)]).toEqual([200, undefined, true]);
  const kept = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' };
  expect(plain.headers).toMatchObject({ 'content-type': type, ...kept });

  const zipped = await raw(`/console/assets/${name}`, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
  expect([zipped.headers['content-encoding'], zipped.headers.etag]).toEqual(['gzip', plain.headers.etag]);
  expect(gunzipSync(zipped.body).equals(content)).toBe(true);
});

test('a file is kept compressed: it is still there when the folder is gone', async () => {
  expect((await raw(`/console/assets/${SCRIPT}`)).status).toBe(200);
  await rm(consoleFolder, { recursive: true });
  const again = await raw(`/console/assets/${SCRIPT}`, { headers: { 'accept-encoding': 'gzip' } });
  expect(again.body.length).toBeLessThan(1_000);
  expect(gunzipSync(again.body).equals(CONSOLE_FILES[SCRIPT]!.content)).toBe(true);
});

test.each(['/console/', '/console/sw.js', `/console/assets/${SCRIPT}`])(
  '%s: HEAD is its headers, and 304 for who has it',
  async (path) => {
    const get = await raw(path);
    const head = await raw(path, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ['content-type', 'cache-control', 'etag', 'content-security-policy']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
    const known = await raw(path, { headers: { 'if-none-match': String(get.headers.etag) } });
    expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, get.headers.etag]);
    expect(known.headers['cache-control']).toBe(get.headers['cache-control']);
    expect((await raw(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  },
);

test('the service worker stands beside the page, and is checked as often', async () => {
  const { status, headers, body } = await raw('/server/console/sw.js');
  expect([status, headers['content-type'], headers['cache-control'], body.toString()]).toEqual([
    ...[200, 'text/javascript; charset=utf-8', 'no-cache', CONSOLE_WORKER],
  ]);
});

test('the page is checked at every visit, and a new build is seen at once', async () => {
  const first = await raw('/console/');
  expect(first.headers['cache-control']).toBe('no-cache');
  const headers = { 'if-none-match': String(first.headers.etag) };
  const newer = CONSOLE_PAGE.replace('LanReach', 'LanReach 2');
  await writeConsoleBuild(consoleFolder, newer);
  const second = await raw('/console/', { headers });
  expect([second.status, second.body.toString()]).toEqual([200, newer]);
});

test.each(['/console/', `/console/assets/${SCRIPT}`, '/console/assets/none.js', '/console/none', '/console'])(
  '%s: a browser runs and loads only files of the console, in no frame, and uses no camera, place or microphone',
  async (path) => {
    const { headers } = await raw(path);
    const [none, self] = ["'none'", "'self'"];
    const directives = String(headers['content-security-policy']).split('; ');
    expect(Object.fromEntries(directives.map((one) => /^(\S+) (.*)$/.exec(one)?.slice(1) ?? []))).toEqual({
      'default-src': none,
      ...{ 'script-src': self, 'style-src': self, 'img-src': `${self} data: blob:`, 'font-src': self },
      ...{ 'connect-src': self, 'manifest-src': self, 'worker-src': self },
      ...{ 'base-uri': none, 'form-action': none, 'frame-ancestors': none },
      ...{ 'require-trusted-types-for': "'script'", 'trusted-types': 'lanreach' },
    });
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['permissions-policy']).toMatch(/camera=\(\), .*geolocation=\(\), .*microphone=\(\)/);
  },
);

describe('nothing from outside becomes a path', () => {
  beforeEach(async () => {
    await writeFile(join(folder.path, 'secret.txt'), 'secret');
    await writeFile(join(consoleFolder, 'other.txt'), 'secret');
    await symlink(join(folder.path, 'secret.txt'), join(consoleFolder, 'assets', 'link.txt'));
  });

  test.each([
    '/console/assets/../../secret.txt',
    '/console/assets/../other.txt',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/assets/..%2Fother.txt',
    '/console/assets/%2e%2e/%2e%2e/secret.txt',
    '/console/assets/%2e%2e%2fother.txt',
    '/console/assets/..%5c..%5csecret.txt',
    '/console/assets/..%252f..%252fsecret.txt',
    '/console/assets//etc/passwd',
    '/console/assets/%2fetc%2fpasswd',
    '/console/assets/.',
    '/console/assets/%2e',
    '/console/assets/..',
    '/console/assets/',
    '/console/assets',
    `/console/assets/${SCRIPT}%00.txt`,
    '/console/assets/%ff',
    '/console/assets/link.txt',
    '/console/assets/__proto__',
    '/console/other.txt',
    '/console//',
    '//console/',
    '/console/../../../../etc/passwd',
  ])('%s', async (path) => {
    const { status, body, error } = await raw(path);
    // A path that the dots lead to the page itself is the page.
    if (status === 200 || status === 302) return expect(body.toString()).not.toContain('secret');
    expect([status, error]).toMatchObject([404, { code: 'not_found' }]);
  });

  test('also when the path comes as a whole URL', async () => {
    const { status } = await raw(`${system.url}/console/assets/..%2f..%2fsecret.txt`);
    expect(status).toBe(404);
  });
});

test('a file that is not there is refused in the words of the API, other methods as well', async () => {
  const missing = await raw('/console/assets/app-00000000.js');
  const message = expect.stringContaining('load the page again');
  expect([missing.status, missing.error]).toMatchObject([404, { code: 'not_found', message }]);
  const wrong = await raw('/console/', { method: 'POST' });
  expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('a console that is not built yet is reported as that', async () => {
  await rm(consoleFolder, { recursive: true });
  const { status, error } = await raw('/console/');
  const message = expect.stringContaining('npm run build');
  expect([status, error]).toMatchObject([503, { code: 'unavailable', message }]);
  expect((await raw('/console/assets/never-read.js')).status).toBe(404);
});

test('a site and a device may be called console', async () => {
  expect((await system.request('POST', '/sites', { body: { id: 'console' } })).status).toBe(201);
  await system.importCsv('devName,devMAC\nconsole,1E:0D:00:00:00:01\n', 'console');
  for (const prefix of ['', '/server']) {
    const site = await system.request('GET', `${prefix}/sites/console`);
    expect([site.status, site.json]).toMatchObject([200, { id: 'console' }]);
    const search = { site: 'console', body: { query: 'console' } };
    const found = await system.request('POST', `${prefix}/devices/search`, search);
    expect(found.json).toMatchObject({ devices: [{ devName: 'console' }] });
  }
});
