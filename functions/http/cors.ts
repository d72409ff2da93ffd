/** Which origins may call the API from a browser (Fetch standard, CORS protocol). */
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Env } from './call.ts';
import { replyWith } from './reply.ts';

const EXPOSED =
  'ETag,LanReach-Stale-Since,LanReach-Token-Expires,Link,Location,Preference-Applied,RateLimit,RateLimit-Policy,' +
  'X-Request-Id,Retry-After,Content-Disposition';
const ALLOWED =
  'Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,Last-Event-ID,MCP-Protocol-Version,Mcp-Method,' +
  'Mcp-Name,Prefer,X-Request-Id,X-Site';

/**
 * Answers preflight requests, which carry no token, and lets pages of these origins read the other responses. Credentials
 * are never allowed, because tokens travel in a header. Headers of the other responses are set in advance, as `reply`
 * requires, and not by Hono's middleware.
 */
export function allowOrigins(
  origins: readonly string[],
  methodsOf: (path: string) => string[],
): MiddlewareHandler<Env> {
  const isAny = origins.includes('*');
  const answerPreflight = cors({
    origin: isAny ? '*' : [...origins],
    allowMethods: (_, c) => methodsOf(c.req.path),
    allowHeaders: ALLOWED.split(','),
    exposeHeaders: EXPOSED.split(','),
    maxAge: 600,
  });
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (c.req.method === 'OPTIONS') {
      // Otherwise it queries the methods of a path; Hono's middleware would answer that as well.
      if (origin === undefined || !c.req.header('access-control-request-method')) return next();
      const preflight = await answerPreflight(c, next);
      return preflight && replyWith(c, preflight);
    }
    const headers = c.get('headers');
    headers['Access-Control-Expose-Headers'] = EXPOSED;
    if (isAny) headers['Access-Control-Allow-Origin'] = '*';
    else {
      headers.Vary = 'Origin';
      if (origin !== undefined && origins.includes(origin)) headers['Access-Control-Allow-Origin'] = origin;
    }
    return next();
  };
}
