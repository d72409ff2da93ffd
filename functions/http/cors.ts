/** Which origins may call the API from a browser (Fetch standard, CORS protocol). */
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Env } from './routes.ts';

const EXPOSED = [
  'ETag',
  'LanReach-Stale-Since',
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
 * are never allowed, because tokens travel in a header.
 */
export function allowOrigins(
  origins: readonly string[],
  methodsOf: (path: string) => string[],
): MiddlewareHandler<Env> {
  const answer = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowMethods: (_, c) => methodsOf(c.req.path),
    allowHeaders: ALLOWED,
    exposeHeaders: EXPOSED,
    maxAge: 600,
  });
  return (c, next) => {
    // An OPTIONS request that is not a preflight asks for the methods of a path; Hono's middleware would answer it as
    // well.
    const isPreflight = c.req.header('origin') !== undefined && c.req.header('access-control-request-method');
    const isConcerned = origins.length > 0 && (c.req.method !== 'OPTIONS' || isPreflight);
    return isConcerned ? answer(c, next) : next();
  };
}
