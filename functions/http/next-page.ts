/** Links to the next page of a list (RFC 8288). */
import type { HonoRequest } from 'hono';
import type { Operation } from '../../shared/api/operation.ts';
import type { SiteId } from '../../shared/identity.ts';

/**
 * The Link header of a page that is not the last: the same request with the next cursor, and with the site, which the
 * request may have named in a header. Null for other responses.
 */
export function linkToNextPage(
  { query }: Operation,
  request: HonoRequest,
  { prefix, site }: { prefix: string; site: SiteId | null },
  body: unknown,
): string | null {
  const next = query !== undefined && 'cursor' in query.shape ? nextCursorOf(body) : null;
  if (next === null) return null;
  const parameters = new URLSearchParams({ ...request.query(), ...(site === null ? {} : { site }), cursor: next });
  return `<${prefix}${request.path}?${parameters}>; rel="next"`;
}

function nextCursorOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('nextCursor' in body)) return null;
  return typeof body.nextCursor === 'string' ? body.nextCursor : null;
}
