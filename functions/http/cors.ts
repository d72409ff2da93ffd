/** Which pages may call the API from a browser (Fetch standard, CORS protocol). */

const EXPOSED = 'ETag, Link, Location, Preference-Applied, X-Request-Id, Retry-After, Content-Disposition';
const ALLOWED =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer, X-Request-Id, X-Site';

/** Headers of an answer to a request from another origin. Credentials are never allowed: tokens travel in a header. */
export function corsHeaders(origins: readonly string[], origin: string | undefined): [string, string][] {
  if (origins.length === 0) return [];
  const allowed = allowedOrigin(origins, origin);
  return [
    ['Vary', 'Origin'],
    ...(allowed === null
      ? []
      : ([
          ['Access-Control-Allow-Origin', allowed],
          ['Access-Control-Expose-Headers', EXPOSED],
        ] satisfies [string, string][])),
  ];
}

/** Headers of the answer to a preflight, which carries no token. */
export function preflightHeaders(
  origins: readonly string[],
  origin: string,
  methods: readonly string[],
): Record<string, string> {
  const allowed = allowedOrigin(origins, origin);
  if (allowed === null) return { Vary: 'Origin' };
  return {
    'Access-Control-Allow-Origin': allowed,
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': ALLOWED,
    'Access-Control-Max-Age': '600',
    Vary: 'Origin',
  };
}

function allowedOrigin(origins: readonly string[], origin: string | undefined): string | null {
  if (origins.includes('*')) return '*';
  return origin !== undefined && origins.includes(origin) ? origin : null;
}
