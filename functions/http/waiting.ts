/** How a caller waits for a command (Prefer header, RFC 7240), and the key that makes a request idempotent. */
import type { HonoRequest } from 'hono';
import { acceptsMediaType } from './accept.ts';
import type { Waiting, WaitLimit } from './call.ts';
import { invalid } from './errors.ts';

/** Unknown and invalid preferences are ignored (RFC 7240 section 2). */
export function waitingOf(request: HonoRequest, limit: WaitLimit): Waiting {
  const events = acceptsMediaType(request.header('accept'), 'text/event-stream');
  const preferences = (request.header('prefer') ?? '').split(/[,;]/).map((preference) => preference.trim());
  if (preferences.some((preference) => /^respond-async$/i.test(preference)))
    return { events, until: null, applied: 'respond-async' };
  const [seconds] = preferences.flatMap((preference) => /^wait\s*=\s*"?(\d{1,6})"?$/i.exec(preference)?.[1] ?? []);
  if (seconds === undefined) return { events, until: endOfWait(limit), applied: null };
  const granted = Math.min(Number(seconds), limit.longestWaitS);
  return { events, until: granted === 0 ? null : endOfWait(limit, granted), applied: `wait=${granted}` };
}

/**
 * Until when a request may wait (Unix, ms). Counted from its arrival, as a gateway does.
 * @param seconds the caller's own limit
 */
export function endOfWait({ arrivedAt, longestWaitS }: WaitLimit, seconds = Infinity): number {
  return arrivedAt + Math.min(seconds, longestWaitS) * 1000;
}

/** Null without one. @throws {ServiceError} `validation_failed` */
export function idempotencyKeyOf(request: HonoRequest): string | null {
  const key = request.header('idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw invalid('header.idempotency-key', 'expected 1 to 200 printable ASCII characters without blanks');
  return key;
}

/** The position after which an event stream continues (Last-Event-ID): characters of output that the client has. */
export const resumeFrom = (lastEventId: string): number => (/^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : 0);
