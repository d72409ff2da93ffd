/**
 * `/console/`: the web console. Its build is a folder with `index.html`, the service worker `sw.js`, and `assets/` with
 * files whose names contain a hash of their content. It is no part of the API, needs no token, and reads no database: who logs in does so in the page.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono, type Context as HonoContext } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { codeOf } from '../../shared/errno.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Env, Routes } from './call.ts';
import { EncodedBody } from './encoded-body.ts';
import { etagOf } from './etag.ts';
import type { Endpoint } from './paths.ts';
import { redirect } from './reply.ts';
import { respondEncoded } from './respond.ts';

export const consoleEndpoints = {
  consolePage: { method: 'GET', path: '/console' },
  consoleIndex: { method: 'GET', path: '/console/index.html' },
  consoleWorker: { method: 'GET', path: '/console/sw.js' },
  consoleFile: { method: 'GET', path: '/console/assets/{file}' },
} as const satisfies Record<string, Endpoint>;

/** A browser runs and loads only files of the console, and asks only this API. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lanreach',
].join('; ');

/** What a page can ask of a browser and the console never does. Copying to the clipboard stays allowed. */
const UNUSED_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
  'Referrer-Policy': 'no-referrer',
};

/** Asked for at every visit, so that a new version is seen at once. */
const PAGE_CACHING = 'no-cache';
/** Never asked for again: other content has another name. */
const FILE_CACHING = 'public, max-age=31536000, immutable';

export const consoleRoutes: Routes<{ consoleFolder: string }> = {
  operations: consoleEndpoints,
  bind({ consoleFolder }) {
    const build = openBuild(consoleFolder);
    return new Hono<Env>()
      .use('/console/*', (c, next) => {
        Object.assign(c.get('headers'), HEADERS);
        return next();
      })
      .get('/console', async (c) => {
        nameRequest(c, 'consolePage');
        const { pathname } = new URL(c.req.url);
        // Without the slash, the page would look for its files in the folder above. To the page by its name, because a
        // slash may be removed on the way; relative, because a prefix may be as well.
        if (pathname.endsWith('/console')) return redirect(c, 'console/index.html', 302);
        return send(c, await build.page(), PAGE_CACHING);
      })
      .get('/console/index.html', async (c) => {
        nameRequest(c, 'consoleIndex');
        return send(c, await build.page(), PAGE_CACHING);
      })
      .get('/console/sw.js', async (c) => {
        nameRequest(c, 'consoleWorker');
        return send(c, await build.worker(), PAGE_CACHING);
      })
      .get('/console/assets/:file', async (c) => {
        nameRequest(c, 'consoleFile');
        return send(c, await build.file(c.req.param('file')), FILE_CACHING);
      });
  },
};

/** For the log. */
function nameRequest(c: HonoContext<Env>, name: keyof typeof consoleEndpoints): void {
  c.set('operation', name);
  c.set('route', consoleEndpoints[name].path);
}

function send(c: HonoContext<Env>, body: EncodedBody, caching: string): Promise<Response> {
  return respondEncoded(c, body, { headers: { 'Cache-Control': caching, Vary: 'Accept-Encoding' } });
}

interface Build {
  /** @throws {ServiceError} `unavailable` when nobody has built the console */
  page(): Promise<EncodedBody>;
  /** The service worker, which is named by nobody's content: browsers look for a new one under the same name. Throws as `page` does. */
  worker(): Promise<EncodedBody>;
  /** @throws {ServiceError} `not_found` for a name that is not one of the build's */
  file(name: string): Promise<EncodedBody>;
}

/** Keeps what it has read, compressed. */
function openBuild(folder: string): Build {
  const unnamed = new Map<string, EncodedBody>();
  const files = new Map<string, EncodedBody>();

  /** Read each time, because a build may replace it while this process runs. It is a few thousand bytes long. */
  async function latest(name: string): Promise<EncodedBody> {
    const bytes = await unlessMissing(readFile(join(folder, name)));
    if (bytes === null) throw new ServiceError('unavailable', NOT_BUILT);
    const known = unnamed.get(name);
    if (known?.etag === etagOfFile(bytes)) return known;
    const body = encoded(name, bytes);
    unnamed.set(name, body);
    return body;
  }

  return {
    page: () => latest('index.html'),
    worker: () => latest('sw.js'),

    async file(name) {
      const known = files.get(name);
      if (known !== undefined) return known;
      // Only a name that has been found in the folder becomes a part of a path.
      const entries = await unlessMissing(readdir(join(folder, 'assets'), { withFileTypes: true }));
      const found = entries?.find((entry) => entry.isFile() && entry.name === name);
      const bytes = found === undefined ? null : await unlessMissing(readFile(join(folder, 'assets', found.name)));
      if (bytes === null) throw new ServiceError('not_found', NO_SUCH_FILE);
      const body = encoded(name, bytes);
      files.set(name, body);
      return body;
    },
  };
}

const NOT_BUILT =
  'The console has not been built: run "npm run build" in the folder of LanReach, then load this page again';
const NO_SUCH_FILE =
  'The console has no file of this name. If it has just been updated, load the page again to get the new files';

/** @returns null when there is no such file or folder */
async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function encoded(name: string, bytes: Buffer): EncodedBody {
  const contentType = getMimeType(name) ?? 'application/octet-stream';
  return new EncodedBody(() => [bytes], { contentType, etag: etagOfFile(bytes), level: SMALLEST });
}

/** Level of compression. Each file is compressed once, and then sent many times. */
const SMALLEST = 9;

function etagOfFile(bytes: Buffer): string {
  return etagOf(bytes.toString('base64'));
}
