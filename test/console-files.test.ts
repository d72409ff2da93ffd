/** The files of the web console at `/console/`, and the way there from the base URL. */
import { rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ErrorBody } from '../shared/errors.ts';
import { CONSOLE_FILES, CONSOLE_PAGE, CONSOLE_WORKER, writeConsoleBuild } from './support/console-build.ts';
import { startTestApi, type TestApi } from './support/in-process.ts';
import { makeTestFolder } from './support/test-folder.ts';

const SCRIPT = 'app-4f2a9c1e.js';
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const anonymous = { token: null };

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
}

/** A request whose path is sent as it is: `fetch` would resolve the dots in it, and follow redirects. */
function raw(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  const { port } = new URL(system.url);
  return new Promise<Raw>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) });
    });
    sent.on('error', reject).end();
  });
}

describe.each(['', '/server', '/a/b'])('behind the prefix "%s"', (prefix) => {
  test('the page is at /console/, and what it names is there', async () => {
    const address = `${system.url}${prefix}/console/`;
    const page = await fetch(address);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    expect(html).toBe(CONSOLE_PAGE);
    const names = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
    expect(names).toHaveLength(3);
    for (const name of names) expect([name, (await fetch(new URL(name, address))).status]).toEqual([name, 200]);
  });

  test('/console without the slash leads there', async () => {
    const { status, headers } = await raw(`${prefix}/console`);
    expect([status, headers.location]).toEqual([302, 'console/index.html']);
    const followed = await fetch(`${system.url}${prefix}/console`);
    expect([followed.url, await followed.text()]).toEqual([`${system.url}${prefix}/console/index.html`, CONSOLE_PAGE]);
  });

  test('the base URL leads a browser there', async () => {
    const { status, headers } = await raw(`${prefix}/`, { headers: BROWSER });
    expect([status, headers.location, headers.vary]).toEqual([302, 'console/', 'Accept']);
    const followed = await fetch(`${system.url}${prefix}/`, { headers: BROWSER });
    expect([followed.url, await followed.text()]).toEqual([`${system.url}${prefix}/console/`, CONSOLE_PAGE]);
  });
});

test('a base URL without its slash leads a browser nowhere: the console would be searched beside the prefix', async () => {
  expect((await raw('/server', { headers: BROWSER })).status).toBe(404);
});

test.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/html;q=0' }])(
  'at the base URL, who sends %j gets what an unknown path gets',
  async (headers) => {
    const { status, body } = await raw('/', { headers });
    expect([status, ErrorBody.parse(JSON.parse(body.toString()))]).toMatchObject([
      404,
      { code: 'not_found', message: expect.stringContaining('The path / does not exist') },
    ]);
  },
);

describe('a file', () => {
  test.each(Object.entries(CONSOLE_FILES))(
    '%s: its bytes, its type, kept for good',
    async (name, { type, content }) => {
      const plain = await raw(`/console/assets/${name}`);
      expect(plain.status).toBe(200);
      expect(plain.headers).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.body.equals(content)).toBe(true);

      const zipped = await raw(`/console/assets/${name}`, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(zipped.body).equals(content)).toBe(true);
      expect(zipped.headers.etag).toBe(plain.headers.etag);
    },
  );

  test('is kept compressed: it is still there when the folder is gone', async () => {
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
      const headers = { 'if-none-match': String(get.headers.etag) };
      const known = await raw(path, { headers });
      expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, get.headers.etag]);
      expect(known.headers['cache-control']).toBe(get.headers['cache-control']);
      expect((await raw(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );
});

test('the service worker stands beside the page, and is asked for as often', async () => {
  const { status, headers, body } = await raw('/server/console/sw.js');
  expect([status, headers['content-type'], body.toString()]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    CONSOLE_WORKER,
  ]);
  expect(headers['cache-control']).toBe('no-cache');
});

test('the page is asked for at every visit, and a new build is seen at once', async () => {
  const first = await raw('/console/');
  expect(first.headers['cache-control']).toBe('no-cache');
  const headers = { 'if-none-match': String(first.headers.etag) };
  await writeConsoleBuild(consoleFolder, CONSOLE_PAGE.replace('LanReach', 'LanReach 2'));
  const second = await raw('/console/', { headers });
  expect([second.status, second.body.toString()]).toEqual([200, CONSOLE_PAGE.replace('LanReach', 'LanReach 2')]);
  await writeConsoleBuild(consoleFolder);
  expect((await raw('/console/', { headers })).status).toBe(304);
});

test.each(['/console/', `/console/assets/${SCRIPT}`, '/console/assets/none.js', '/console/none', '/console'])(
  '%s: a browser runs and loads only files of the console, in no frame, and tells nobody where it was',
  async (path) => {
    const { headers } = await raw(path);
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
    );
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data: blob:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'manifest-src': "'self'",
      'worker-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'lanreach',
    });
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringMatching(/camera=\(\), .*geolocation=\(\), .*microphone=\(\)/),
    });
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
    const { status, body } = await raw(path);
    // A path that the dots lead to the page itself is the page.
    if (status === 200 || status === 302) return expect(body.toString()).not.toContain('secret');
    expect([status, ErrorBody.parse(JSON.parse(body.toString()))]).toMatchObject([404, { code: 'not_found' }]);
  });

  test('also when the path comes as a whole URL', async () => {
    const { status } = await raw(`${system.url}/console/assets/..%2f..%2fsecret.txt`);
    expect(status).toBe(404);
  });
});

test('a file that is not there is refused in the words of the API, other methods as well', async () => {
  const missing = await system.request('GET', '/console/assets/app-00000000.js', anonymous);
  expect([missing.status, ErrorBody.parse(missing.json)]).toMatchObject([
    404,
    { code: 'not_found', message: expect.stringContaining('load the page again') },
  ]);
  expect(missing.headers.get('cache-control')).toBe('no-store');
  const wrong = await system.request('POST', '/console/', anonymous);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('a console that nobody has built is told as that', async () => {
  await rm(consoleFolder, { recursive: true });
  const { status, json } = await system.request('GET', '/console/', anonymous);
  expect([status, ErrorBody.parse(json)]).toMatchObject([
    503,
    { code: 'unavailable', message: expect.stringContaining('npm run build') },
  ]);
  expect((await system.request('GET', '/console/assets/never-read.js', anonymous)).status).toBe(404);
});

test('a site and a device may be called console', async () => {
  expect((await system.request('POST', '/sites', { body: { id: 'console' } })).status).toBe(201);
  await system.importCsv('devName,devMAC\nconsole,1E:0D:00:00:00:01\n', 'console');
  for (const prefix of ['', '/server']) {
    const site = await system.request('GET', `${prefix}/sites/console`);
    expect([site.status, site.json]).toMatchObject([200, { id: 'console' }]);
    const { json } = await system.request('GET', `${prefix}/devices?site=console`);
    expect(json).toMatchObject({ devices: [{ devName: 'console' }] });
    const found = await system.request('POST', `${prefix}/devices/search`, {
      site: 'console',
      body: { query: 'console' },
    });
    expect(found.json).toMatchObject({ devices: [{ devName: 'console' }] });
  }
});
