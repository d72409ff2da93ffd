/**
 * `/docs`: the OpenAPI document as a page for people, with Swagger UI from our own node_modules. Its Content-Security-Policy
 * allows no other hosts. Only for `npm start`: in the cloud it would be the largest part of a function.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import * as z from 'zod';
import { routesOf } from '../functions/access/routes.ts';
import type { Env, Handlers, Routes } from '../functions/http/call.ts';
import type { RequestContext } from '../functions/http/context.ts';
import { EncodedBody } from '../functions/http/encoded-body.ts';
import { etagOf } from '../functions/http/etag.ts';
import { HandlerResult } from '../functions/http/handler-result.ts';
import { redirect } from '../functions/http/reply.ts';
import { type Operations, route } from '../shared/api/operation.ts';

/** Paths are relative to the page, for any path prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>LanReach API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="page"><noscript>This page needs JavaScript. The document itself is at <a href="openapi.json">openapi.json</a>.</noscript></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

const SCRIPT = `fetch('openapi.json')
  .then((response) => response.json())
  .then((spec) => {
    // Absolute, because tools interpret relative URLs differently.
    const url = new URL('.', location.href).href.replace(/\\/$/, '');
    SwaggerUIBundle({
      spec: { ...spec, servers: [{ url }] },
      dom_id: '#page',
      presets: [SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
      validatorUrl: null,
      deepLinking: true,
      defaultModelsExpandDepth: 0,
    });
  })
  .catch((error) => {
    document.getElementById('page').textContent = 'The document cannot be shown: ' + error.message;
  });
`;

/** Swagger UI needs inline styles and images as data URLs; scripts are only files of ours. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const swaggerUi = (name: string) => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8');

const FILES = {
  'page.js': { type: 'text/javascript; charset=utf-8', read: async () => SCRIPT },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', read: () => swaggerUi('swagger-ui-bundle.js') },
  'swagger-ui.css': { type: 'text/css; charset=utf-8', read: () => swaggerUi('swagger-ui.css') },
} as const;
const FileName = z.enum(Object.keys(FILES) as [keyof typeof FILES, ...(keyof typeof FILES)[]]);

/** Not in `shared/api`: it is no part of the API. */
const operations = {
  docsPage: {
    ...route('GET', '/docs', null),
    summary: 'The OpenAPI document as a page',
    response: z.string(),
    example: { response: '' },
  },
  docsFile: {
    ...route('GET', '/docs/{file}', null),
    summary: 'The files of the page',
    params: z.object({ file: FileName }),
    onlyKnownPaths: true,
    response: z.string(),
    example: { params: { file: 'page.js' }, response: '' },
  },
} as const satisfies Operations;

const handlers: Handlers<typeof operations, RequestContext> = {
  docsPage: () => sent('page', 'text/html; charset=utf-8', async () => PAGE),
  docsFile: (_context, _call, { file }) => sent(file, FILES[file].type, FILES[file].read),
};

const pages = routesOf(operations, handlers);

/** Compressed once. */
const bodies = new Map<string, EncodedBody>();

async function sent(name: string, contentType: string, read: () => Promise<string>): Promise<HandlerResult> {
  const known = bodies.get(name);
  const text = known === undefined ? await read() : '';
  const body = known ?? new EncodedBody(() => [text], { contentType, etag: etagOf(text) });
  bodies.set(name, body);
  return new HandlerResult(body, {
    headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Referrer-Policy': 'no-referrer' },
  });
}

export const docsRoutes: Routes<RequestContext> = {
  operations,
  bind: (context) =>
    new Hono<Env>()
      .use('/docs', async (c, next) => {
        // With a final slash, the relative paths of the page would be wrong.
        if (new URL(c.req.url).pathname.endsWith('/')) return redirect(c, '../docs', 308);
        return next();
      })
      .route('/', pages.bind(context)),
};
