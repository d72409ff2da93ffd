/**
 * How a caller wants to wait for a command (Prefer header, RFC 7240), and the key that makes a request safe to repeat.
 */
import type { HonoRequest } from 'hono';
import { acceptsMediaType } from './accept.ts';
import { validationError } from './errors.ts';

/** Load balancers commonly end a request after five minutes. */
const LONGEST_WAIT_S = 280;

export interface Waiting {
  /** Whether to stream events instead of waiting for the end. */
  events: boolean;
  /** How long to wait for the end; 0 means only until the command has been accepted. */
  ms: number;
  /** The preferences that are followed, for the header Preference-Applied; null when there are none. */
  applied: string | null;
}

/** Unknown and invalid preferences are ignored (RFC 7240 section 2). */
export function waitingOf(request: HonoRequest): Waiting {
  const events = acceptsMediaType(request.header('accept'), 'text/event-stream');
  const preferences = (request.header('prefer') ?? '').split(/[,;]/).map((preference) => preference.trim());
  if (preferences.some((preference) => /^respond-async$/i.test(preference))) {
    return { events, ms: 0, applied: 'respond-async' };
  }
  const [seconds] = preferences.flatMap((preference) => /^wait\s*=\s*"?(\d{1,6})"?$/i.exec(preference)?.[1] ?? []);
  if (seconds === undefined) return { events, ms: LONGEST_WAIT_S * 1000, applied: null };
  const granted = Math.min(Number(seconds), LONGEST_WAIT_S);
  return { events, ms: granted * 1000, applied: `wait=${granted}` };
}

/** The Idempotency-Key of a request; null when it has none. */
export function idempotencyKeyOf(request: HonoRequest): string | null {
  const key = request.header('idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
    const message = 'expected 1 to 200 printable ASCII characters without blanks';
    throw validationError([{ path: 'header.idempotency-key', message }]);
  }
  return key;
}

/** The position after which an event stream continues (Last-Event-ID): characters of output that the client has. */
export function resumeFrom(lastEventId: string): number {
  return /^\d{1,9}$/.test(lastEventId) ? Number(lastEventId) : 0;
}
