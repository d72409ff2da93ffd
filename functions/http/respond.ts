/** Sends a response: compressed if the client accepts that, and without the body if the client has it already. */
import type { Context as HonoContext } from 'hono';
import { accepts } from 'hono/accepts';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Answer } from './answer.ts';
import { compressed, EncodedBody } from './encoded-body.ts';
import { namesEtag } from './etag.ts';
import { EventStream, type StreamOptions } from './event-stream.ts';

export async function respond(
  c: HonoContext,
  { body, status, headers }: Answer,
  streamOptions: StreamOptions,
): Promise<Response> {
  if (body instanceof EncodedBody) return respondEncoded(c, body, { status, headers });
  if (body instanceof EventStream) {
    const stream = isHead(c) ? null : body.stream(streamOptions);
    return c.newResponse(stream, status as ContentfulStatusCode, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no', // Otherwise some proxies buffer the events.
      ...headers,
    });
  }
  if (isRead(c) && headers.ETag !== undefined && namesEtag(c.req.header('if-none-match'), headers.ETag)) {
    return c.body(null, 304, { 'Cache-Control': 'private, no-cache', ...headers });
  }
  const text = JSON.stringify(body);
  const bytes = await compressed(text, acceptsGzip(c));
  return c.body(new Uint8Array(bytes), status as ContentfulStatusCode, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    Vary: 'Accept-Encoding',
    ...(bytes.length < Buffer.byteLength(text) ? { 'Content-Encoding': 'gzip' } : {}),
    ...headers,
  });
}

/** @param headers of the answer, which replace those for a body that depends on the token */
export function respondEncoded(
  c: HonoContext,
  body: EncodedBody,
  { status = 200, headers }: { status?: number; headers: Record<string, string> },
): Response {
  const isRead = c.req.method === 'GET' || isHead(c);
  const caching = {
    // `private`, because the content depends on the token; `no-cache`, so that a change is visible at the next request.
    // Of a POST nothing is kept, and 304 would be no answer to it (RFC 9110 section 13.1.2).
    ...(isRead ? { ETag: body.etag, 'Cache-Control': 'private, no-cache' } : { 'Cache-Control': 'no-store' }),
    Vary: 'Accept-Encoding, Authorization, X-Site',
  };
  if (isRead && namesEtag(c.req.header('if-none-match'), body.etag)) {
    return c.body(null, 304, { ...caching, ...headers });
  }
  const { length } = body;
  const isCompressed = acceptsGzip(c);
  const stream = isHead(c) ? null : body.stream(isCompressed ? 'gzip' : 'identity');
  return c.newResponse(stream, status as ContentfulStatusCode, {
    'Content-Type': body.contentType,
    ...caching,
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    ...(isCompressed && length !== null ? { 'Content-Length': String(length) } : {}),
    ...headers,
  });
}

/** Whether the request only reads: what was changed is not "not modified" (RFC 9110 section 13.1.2). */
function isRead(c: HonoContext): boolean {
  return c.req.method === 'GET' || isHead(c);
}

/** Whether only the headers are wanted. Then nobody would read a stream, or stop its source. */
function isHead(c: HonoContext): boolean {
  return c.req.method === 'HEAD';
}

function acceptsGzip(c: HonoContext): boolean {
  return accepts(c, { header: 'Accept-Encoding', supports: ['gzip'], default: 'identity' }) === 'gzip';
}
