/**
 * Makes the responses. Common headers are collected before a response exists: for a header that is set afterwards, Hono
 * copies the response into one of the platform, which takes ten times as long as all the rest.
 */
import type { Context as HonoContext } from 'hono';
import type { Env } from './call.ts';

/** Text and bytes are sent as one piece, with their length. */
type ReplyBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;

/**
 * A response with these headers, and the common ones of the request.
 * @param headers a plain record, which the adapter for Node.js passes on as it is
 */
export function reply(c: HonoContext<Env>, body: ReplyBody, status: number, headers: Record<string, string>): Response {
  const common = c.get('headers');
  const all = { ...common, ...headers };
  if (common.Vary !== undefined && headers.Vary !== undefined) all.Vary = `${headers.Vary}, ${common.Vary}`;
  return new Response(body, { status, headers: all });
}

/** The same for the response of a library. */
export function replyWith(c: HonoContext<Env>, { body, status, headers }: Response): Response {
  const { vary, ...others } = Object.fromEntries(headers);
  return reply(c, body, status, vary === undefined ? others : { ...others, Vary: vary });
}

/** A redirect to an address, which may be relative. */
export function redirect(c: HonoContext<Env>, location: string, status: 302 | 308, headers = {}): Response {
  return reply(c, null, status, { Location: location, ...headers });
}
