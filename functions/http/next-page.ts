/** Links to the next page of a list (RFC 8288). */
import type { HonoRequest } from 'hono';
import type { Operation } from '../../shared/api/operation.ts';
import type { SiteId } from '../../shared/identity.ts';

/**
 * The Link header of a page that is followed by another one: the same request with the next cursor. The site is part of
 * it, because the request may have named it in a header. Null for other answers.
 */
export function linkToNextPage(
  { query }: Operation,
  request: HonoRequest,
  { prefix, site }: { prefix: string; site: SiteId | null },
  body: unknown,
): string | null {
  const next = query !== undefined && 'cursor' in query.shape ? nextCursorOf(body) : null;
  if (next === null) return null;
  const asked = new URLSearchParams({ ...request.query(), ...(site === null ? {} : { site }), cursor: next });
  return `<${prefix}${request.path}?${asked}>; rel="next"`;
}

function nextCursorOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('nextCursor' in body)) return null;
  return typeof body.nextCursor === 'string' ? body.nextCursor : null;
}
