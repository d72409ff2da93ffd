/** Sends a response: compressed if the client accepts that, and without the body if the client has it cached. */
import type { Context as HonoContext } from 'hono';
import { accepts } from 'hono/accepts';
import type { Env } from './call.ts';
import { COMPRESS_FROM_BYTES, compressed, EncodedBody } from './encoded-body.ts';
import { namesEtag } from './etag.ts';
import { EventStream, type StreamOptions } from './event-stream.ts';
import type { HandlerResult } from './handler-result.ts';
import { reply } from './reply.ts';
import { StreamedFile } from './streamed-file.ts';

export function respond(
  c: HonoContext<Env>,
  { body, status, headers }: HandlerResult,
  streamOptions: StreamOptions,
): Response | Promise<Response> {
  if (body instanceof EncodedBody) return respondEncoded(c, body, { status, headers });
  if (body instanceof StreamedFile) return respondFile(c, body, { status, headers }, streamOptions);
  if (body instanceof EventStream) {
    const stream = isHead(c) ? null : body.stream(streamOptions);
    return reply(c, stream, status, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no', // Otherwise some proxies buffer the events.
      ...headers,
    });
  }
  if (isRead(c) && headers.ETag !== undefined && namesEtag(c.req.header('if-none-match'), headers.ETag))
    return reply(c, null, 304, { 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding', ...headers });
  const text = JSON.stringify(body);
  const described = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    Vary: 'Accept-Encoding',
    ...headers,
  };
  if (Buffer.byteLength(text) < COMPRESS_FROM_BYTES || !acceptsGzip(c)) return reply(c, text, status, described);
  return compressed(text).then((bytes) => reply(c, bytes, status, { 'Content-Encoding': 'gzip', ...described }));
}

async function respondFile(
  c: HonoContext<Env>,
  file: StreamedFile,
  { status, headers }: Pick<HandlerResult, 'status' | 'headers'>,
  streamOptions: StreamOptions,
): Promise<Response> {
  const encoding = acceptsGzip(c) ? 'gzip' : 'identity';
  return reply(c, isHead(c) ? null : await file.open(encoding, streamOptions), status, {
    'Content-Type': file.contentType,
    'Cache-Control': 'no-store',
    Vary: 'Accept-Encoding',
    ...(encoding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
    ...headers,
  });
}

/** @param headers replace those for a body that depends on the token */
export async function respondEncoded(
  c: HonoContext<Env>,
  body: EncodedBody,
  { status = 200, headers }: { status?: number; headers: Record<string, string> },
): Promise<Response> {
  const caching = {
    // `private`, because the content depends on the token; `no-cache`, so that a change is visible at the next request.
    // The response to a POST is not cached, and 304 would not be valid for it (RFC 9110 section 13.1.2).
    ...(isRead(c) ? { ETag: body.etag, 'Cache-Control': 'private, no-cache' } : { 'Cache-Control': 'no-store' }),
    Vary: 'Accept-Encoding, Authorization, X-Site',
  };
  if (isRead(c) && namesEtag(c.req.header('if-none-match'), body.etag))
    return reply(c, null, 304, { ...caching, ...headers });
  const encoding = acceptsGzip(c) ? 'gzip' : 'identity';
  const content = isHead(c) && encoding === 'identity' ? null : await body.read(encoding);
  return reply(c, isHead(c) ? null : content, status, {
    'Content-Type': body.contentType,
    ...caching,
    ...(encoding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
    ...(content instanceof Uint8Array ? { 'Content-Length': String(content.length) } : {}),
    ...headers,
  });
}

/** Whether the request may be answered with 304 (RFC 9110 section 13.1.2). */
const isRead = (c: HonoContext): boolean => c.req.method === 'GET' || isHead(c);

/** Then the body must not be opened: a stream would have no reader, and its source would not be stopped. */
const isHead = (c: HonoContext): boolean => c.req.method === 'HEAD';

function acceptsGzip(c: HonoContext): boolean {
  return accepts(c, { header: 'Accept-Encoding', supports: ['gzip'], default: 'identity' }) === 'gzip';
}
