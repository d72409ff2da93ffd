/** Which origins may call the API from a browser (Fetch standard, CORS protocol). */
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Env } from './call.ts';
import { replyWith } from './reply.ts';

const EXPOSED = [
  'ETag',
  'LanReach-Stale-Since',
  'LanReach-Token-Expires',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'Retry-After',
  'Content-Disposition',
];
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Prefer',
  'X-Request-Id',
  'X-Site',
];

/**
 * Answers preflight requests, which carry no token, and lets pages of these origins read the other answers. Credentials
 * are never allowed, because tokens travel in a header. The headers of the other answers are set before there is an
 * answer, as `reply` wants it, and not by Hono's middleware.
 */
export function allowOrigins(
  origins: readonly string[],
  methodsOf: (path: string) => string[],
): MiddlewareHandler<Env> {
  const isAny = origins.includes('*');
  const answerPreflight = cors({
    origin: isAny ? '*' : [...origins],
    allowMethods: (_, c) => methodsOf(c.req.path),
    allowHeaders: ALLOWED,
    exposeHeaders: EXPOSED,
    maxAge: 600,
  });
  const exposed = EXPOSED.join(',');
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (c.req.method === 'OPTIONS') {
      // One that is not a preflight asks for the methods of a path; Hono's middleware would answer it as well.
      if (origin === undefined || !c.req.header('access-control-request-method')) return next();
      const preflight = await answerPreflight(c, next);
      return preflight && replyWith(c, preflight);
    }
    const headers = c.get('headers');
    headers['Access-Control-Expose-Headers'] = exposed;
    if (isAny) headers['Access-Control-Allow-Origin'] = '*';
    else {
      headers.Vary = 'Origin';
      if (origin !== undefined && origins.includes(origin)) headers['Access-Control-Allow-Origin'] = origin;
    }
    return next();
  };
}
