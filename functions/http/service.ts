/** The HTTP service: the routes of one group in each function, those of all groups on one machine. */
import { randomUUID } from 'node:crypto';
import { Hono, type Context as HonoContext, type HonoRequest } from 'hono';
import { ServiceError } from '../../shared/errors.ts';
import { withRequestCost } from '../table/request-cost.ts';
import { acceptsMediaType } from './accept.ts';
import type { Env, Routes } from './call.ts';
import type { ServiceContext } from './context.ts';
import { allowOrigins } from './cors.ts';
import { errorResponse } from './errors.ts';
import { allowsHead, type Endpoint, operationsAt } from './paths.ts';
import { bearerOf, KnownTokens, presentedToken } from './presented-token.ts';
import { limitRefusals } from './refusal-brake.ts';
import { redirect, reply } from './reply.ts';
import { openRequestLimit } from './request-limit.ts';

export function service<Used extends ServiceContext>(context: Used, ...routes: Routes<Used>[]): Hono<Env> {
  const { app, operations, begin } = openApp(context, routes, context.settings.tokenRequestsPerMinute ?? null);
  const { rejectionSampling = 1, corsOrigins } = context.settings;
  let rejections = 0;

  app.use(async (c, next) => {
    const started = performance.now();
    begin(c);
    await withRequestCost(async (consumed) => {
      await next();
      const tookMs = performance.now() - started;
      context.counters?.request(c.get('operation') ?? null, c.res.status, tookMs / 1000);
      const isRejected = !c.get('tokenId') && c.res.status >= 400 && c.res.status < 500;
      if (isRejected && rejections++ % rejectionSampling !== 0) return;
      context.log.info(
        {
          requestId: c.get('requestId'),
          operation: c.get('operation'),
          method: c.req.method,
          route: c.get('route') ?? null,
          status: c.res.status,
          code: c.get('errorCode'),
          site: siteToLog(c.get('site'), c.req),
          tokenId: c.get('tokenId') || undefined,
          tool: c.get('tool'),
          durMs: Math.round(tookMs * 10) / 10,
          ...consumed,
        },
        'request',
      );
    });
  });
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins, (path) => methodsOf(operations, path)));
  app.use(limitRefusals(context));
  for (const one of routes) app.route('/', one.bind(context));
  return app;
}

/**
 * The same operations for a caller inside this process, whose own request has already been counted, limited and logged.
 * Authentication, scopes, checks and audit are those of every request.
 */
export function inProcessService<Used extends ServiceContext>(context: Used, ...routes: Routes<Used>[]): Hono<Env> {
  const { app, begin } = openApp(context, routes, null);
  app.use(async (c, next) => {
    begin(c);
    await next();
    c.env?.note?.({ operation: c.get('operation'), site: c.get('site'), errorCode: c.get('errorCode') });
  });
  for (const one of routes) app.route('/', one.bind(context));
  return app;
}

/** Answers the requests that match no route, and prepares the variables of the others. */
function openApp(context: ServiceContext, routes: readonly Routes<never>[], requestsPerMinute: number | null) {
  const operations = routes.flatMap((one) => Object.values(one.operations));
  const roots = new Set(operations.map(({ path }) => path.split('/')[1] ?? ''));
  const requestLimit = openRequestLimit(requestsPerMinute);
  const knownTokens = new KnownTokens();
  const app = new Hono<Env>({ getPath: (request) => splitPrefix(pathnameOf(request.url), roots).path });

  app.onError((error, c) => errorResponse(c, error, c.get('requestId'), context.log));
  app.notFound((c) => {
    if (isVisit(c.req, roots)) {
      // Relative to the base URL, so that it keeps every prefix.
      return redirect(c, 'console/', 302, { Vary: 'Accept' });
    }
    const allowed = methodsOf(operations, c.req.path);
    // Returned and not thrown, because the middleware would not see an error that is thrown here.
    const reject = (code: 'not_found' | 'method_not_allowed', message: string) =>
      errorResponse(c, new ServiceError(code, message), c.get('requestId'), context.log);
    if (allowed.length === 0) {
      const path = c.req.path.slice(0, 200);
      return reject('not_found', `The path ${path} does not exist; see the list of paths in the API description`);
    }
    const list = allowed.join(', ');
    if (c.req.method === 'OPTIONS') return reply(c, null, 204, { Allow: list });
    c.get('headers').Allow = list;
    return reject('method_not_allowed', `${c.req.method} is not allowed for this path; allowed: ${list}`);
  });

  function begin(c: HonoContext<Env>): void {
    const requestId = requestIdOf(c.req);
    c.set('requestId', requestId);
    // A device name must never be interpreted as HTML.
    c.set('headers', { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' });
    c.set('presented', presentedToken(c.req.header('authorization')));
    c.set('knownTokens', knownTokens);
    c.set('requestLimit', requestLimit);
    const pathname = pathnameOf(c.req.url);
    c.set('prefix', pathname === c.req.path ? '' : splitPrefix(pathname, roots).prefix);
  }

  return { app, operations, begin };
}

/** The methods of a path; none for a path that does not exist. */
function methodsOf(operations: readonly Endpoint[], path: string): string[] {
  const methods = new Set<string>();
  for (const operation of operationsAt(operations, path)) {
    methods.add(operation.method);
    if (allowsHead(operation)) methods.add('HEAD');
  }
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort();
}

/** The path of a valid absolute URL, faster than by parsing it again. */
function pathnameOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  let end = start;
  while (end < url.length && url[end] !== '?' && url[end] !== '#') end++;
  return url.slice(start, end);
}

/** The client's request id if it may be logged, otherwise a new one. */
function requestIdOf(request: HonoRequest): string {
  const given = request.header('x-request-id');
  const isHarmless = given !== undefined && /^[\w.-]{1,64}$/.test(given) && !isSecret(given, request);
  return isHarmless ? given : randomUUID();
}

/** The site that a request names: it need not exist, and may be any text. */
function siteToLog(site: string | undefined, request: HonoRequest): string | undefined {
  return site && !isSecret(site, request) ? site : undefined;
}

/** Whether a text contains a secret sent by mistake: an enrolment code, a token of ours, or the one in use. */
function isSecret(text: string, request: HonoRequest): boolean {
  const token = bearerOf(request.header('authorization'));
  return /lr[ek]?_/.test(text) || (token !== null && text.includes(token));
}

/**
 * Splits our path from the prefix that a reverse proxy or a custom domain may add, such as `/server/devices`. Users configure
 * base URLs with and without it, and with a trailing slash.
 */
function splitPrefix(pathname: string, roots: ReadonlySet<string>): { prefix: string; path: string } {
  // Nearly all requests: the path is one of ours as it is.
  const end = pathname.indexOf('/', 1);
  const isAtRoot = roots.has(end === -1 ? pathname.slice(1) : pathname.slice(1, end));
  if (isAtRoot && !pathname.endsWith('/') && !pathname.startsWith('/mcp/')) return { prefix: '', path: pathname };
  const segments = pathname.replace(/(?<=.)\/+$/, '').split('/');
  // `/.well-known/oauth-protected-resource/mcp` is metadata about `/mcp` (RFC 9728), and not that.
  if (segments[1] === '.well-known') return { prefix: '', path: pathname };
  // NetAlertX has its API below `/mcp/sse` too, where ours has nothing.
  const isSkipped = (i: number) =>
    segments[i] === 'mcp' && roots.has(segments[segments[i + 1] === 'sse' ? i + 2 : i + 1] ?? '');
  const at = segments.findIndex(
    (segment, i) => i > 0 && i <= MAX_PREFIX_SEGMENTS + 1 && roots.has(segment) && !isSkipped(i),
  );
  if (at <= 1) return { prefix: '', path: segments.join('/') || '/' };
  // Two leading slashes must not become a link to another host.
  return { prefix: segments.slice(0, at).join('/').replace(/^\/+/, '/'), path: `/${segments.slice(at).join('/')}` };
}

const MAX_PREFIX_SEGMENTS = 3;

/** Whether a person opens the base URL of the API in a browser: `/`, or a prefix with a trailing slash. */
function isVisit(request: HonoRequest, roots: ReadonlySet<string>): boolean {
  const [, ...segments] = new URL(request.url).pathname.split('/');
  const isBase = segments.at(-1) === '' && segments.length <= MAX_PREFIX_SEGMENTS + 1;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !isBase || segments.some((segment) => roots.has(segment))) return false;
  return acceptsMediaType(request.header('accept'), 'text/html');
}
