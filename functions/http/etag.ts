/** Entity tags (RFC 9110 sections 8.8.3 and 13.1). */
import { createHash } from 'node:crypto';

export function etagOf(content: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`;
}

/**
 * Whether a header names a tag; `*` names any. Compared weakly, also for If-Match: a compressing proxy makes a tag weak, and
 * ours change with the content alone.
 */
export function namesEtag(header: string | null | undefined, etag: string): boolean {
  if (header === null || header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}
