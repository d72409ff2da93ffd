/**
 * `/console/`: the web console. Its build is a folder with `index.html`, `shared.html` for shares, the service worker `sw.js`, and `assets/` with
 * files whose names contain a hash of their content. No part of the API: it needs no token and reads no database, because
 * the page itself signs people in.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono, type Context as HonoContext } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { nullIfMissing } from '../../shared/errno.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Env, Routes } from './call.ts';
import { EncodedBody } from './encoded-body.ts';
import { etagOf } from './etag.ts';
import { type Endpoint, honoPath } from './paths.ts';
import { redirect } from './reply.ts';
import { respondEncoded } from './respond.ts';

const consoleEndpoints = {
  consolePage: { method: 'GET', path: '/console' },
  consoleIndex: { method: 'GET', path: '/console/index.html' },
  consoleShared: { method: 'GET', path: '/console/shared.html' },
  consoleWorker: { method: 'GET', path: '/console/sw.js' },
  consoleFile: { method: 'GET', path: '/console/assets/{file}' },
} as const satisfies Record<string, Endpoint>;

/** A browser runs and loads only files of the console, and connects only to this API. */
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

/** Browser features that the console never uses. Copying to the clipboard stays allowed. */
const UNUSED_FEATURES =
  'accelerometer autoplay camera display-capture encrypted-media geolocation gyroscope hid idle-detection magnetometer ' +
  'microphone midi payment picture-in-picture publickey-credentials-get screen-wake-lock serial usb xr-spatial-tracking';

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': UNUSED_FEATURES.replaceAll(' ', '=(), ').concat('=()'),
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** Revalidated at every visit, so that a new version takes effect at once. */
const PAGE_CACHING = 'no-cache';
/** Never revalidated: other content has another name. */
const FILE_CACHING = 'public, max-age=31536000, immutable';

export const consoleRoutes: Routes<{ consoleFolder: string }> = {
  operations: consoleEndpoints,
  bind({ consoleFolder }) {
    const build = openBuild(consoleFolder);
    const routes = new Hono<Env>().use('/console/*', (c, next) => {
      Object.assign(c.get('headers'), HEADERS);
      return next();
    });
    function add(name: keyof typeof consoleEndpoints, handle: (c: HonoContext<Env>) => Promise<Response>): void {
      const { path } = consoleEndpoints[name];
      routes.get(honoPath(path), (c) => {
        c.set('operation', name);
        c.set('route', path);
        return handle(c);
      });
    }
    const sendPage = async (c: HonoContext<Env>) => send(c, await build.latest('index.html'), PAGE_CACHING);
    add('consolePage', async (c) => {
      // Without the slash, the page would look for its files in the folder above. To the page by its name, because a
      // slash may be removed on the way; relative, because a prefix may be as well.
      if (new URL(c.req.url).pathname.endsWith('/console')) return redirect(c, 'console/index.html', 302);
      return sendPage(c);
    });
    add('consoleIndex', sendPage);
    add('consoleShared', async (c) => send(c, await build.latest('shared.html'), PAGE_CACHING));
    add('consoleWorker', async (c) => send(c, await build.latest('sw.js'), PAGE_CACHING));
    add('consoleFile', async (c) => send(c, await build.file(c.req.param('file') ?? ''), FILE_CACHING));
    return routes;
  },
};

function send(c: HonoContext<Env>, body: EncodedBody, caching: string): Promise<Response> {
  return respondEncoded(c, body, { headers: { 'Cache-Control': caching, Vary: 'Accept-Encoding' } });
}

/** Keeps the files that it has read, compressed. */
function openBuild(folder: string) {
  const files = new Map<string, EncodedBody>();
  const unnamed = new Map<string, EncodedBody>();
  return {
    /**
     * A file whose name says nothing of its content: read each time, because a new build may replace it while this process
     * runs. It is a few thousand bytes long.
     * @throws {ServiceError} `unavailable` when the console has not been built
     */
    async latest(name: 'index.html' | 'shared.html' | 'sw.js'): Promise<EncodedBody> {
      const bytes = await readFile(join(folder, name)).catch(nullIfMissing);
      if (bytes === null) throw new ServiceError('unavailable', NOT_BUILT);
      const known = unnamed.get(name);
      if (known?.etag === etagOfFile(bytes)) return known;
      const body = encoded(name, bytes);
      unnamed.set(name, body);
      return body;
    },

    /** @throws {ServiceError} `not_found` for a name that is not one of the build's */
    async file(name: string): Promise<EncodedBody> {
      const known = files.get(name);
      if (known !== undefined) return known;
      // Only a name that has been found in the folder becomes a part of a path.
      const entries = await readdir(join(folder, 'assets'), { withFileTypes: true }).catch(nullIfMissing);
      const found = entries?.find((entry) => entry.isFile() && entry.name === name);
      const bytes =
        found === undefined ? null : await readFile(join(folder, 'assets', found.name)).catch(nullIfMissing);
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

function encoded(name: string, bytes: Buffer): EncodedBody {
  const contentType = getMimeType(name) ?? 'application/octet-stream';
  // The best compression, because each file is compressed once and sent many times.
  return new EncodedBody(() => [bytes], { contentType, etag: etagOfFile(bytes), level: 9 });
}

const etagOfFile = (bytes: Buffer): string => etagOf(bytes.toString('base64'));
