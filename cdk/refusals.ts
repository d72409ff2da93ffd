/** What the gateway says by itself, when no function answers: in the words of the contract. */
import { ERRORS, refusalBody } from '../functions/http/errors.ts';
import type { ErrorBody, ErrorCode } from '../shared/errors.ts';

interface Refusal {
  code: ErrorCode;
  message: string;
  /** Seconds. */
  retryAfter?: number;
}

/** A function that is asked answers for itself. What is left is that Lambda refused the call, or that it crashed. */
const NO_ANSWER: Refusal = { code: 'unavailable', message: 'The service cannot answer at the moment', retryAfter: 2 };

/**
 * By the gateway's types of responses. Those that are not listed here are told as `DEFAULT_4XX` or `DEFAULT_5XX`; so is a
 * function that Lambda throttles, which a proxy integration turns into a status of 500. There is none for an unknown path,
 * because a function answers every path.
 */
export const REFUSALS = {
  THROTTLED: { code: 'too_many_requests', message: 'Too many requests', retryAfter: 1 },
  QUOTA_EXCEEDED: { code: 'too_many_requests', message: 'Too many requests', retryAfter: 60 },
  REQUEST_TOO_LARGE: { code: 'payload_too_large', message: 'The body is larger than 10 MB' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'unsupported_media_type', message: 'Unknown media type' },
  WAF_FILTERED: { code: 'forbidden', message: 'The request was refused by the firewall' },
  INTEGRATION_FAILURE: NO_ANSWER,
  INTEGRATION_TIMEOUT: { code: 'unavailable', message: 'The service did not answer in time', retryAfter: 2 },
  DEFAULT_4XX: { code: 'validation_failed', message: 'The request cannot be read' },
  DEFAULT_5XX: NO_ANSWER,
} as const satisfies Record<string, Refusal>;
export type RefusalType = keyof typeof REFUSALS;

export interface RefusalResponse {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

export function refusalResponse(type: RefusalType, corsOrigins: readonly string[], requestId: string): RefusalResponse {
  const { code, message, retryAfter }: Refusal = REFUSALS[type];
  return {
    status: ERRORS[code][0],
    headers: refusalHeaders(corsOrigins, retryAfter),
    body: refusalBody(code, message, requestId),
  };
}

/**
 * Headers of a refusal. Without those of CORS a page would see a failed connection instead of "too many requests".
 *
 * The gateway can send a fixed value or echo the request's Origin, but not look the origin up in a list. For several
 * origins it is `*`: a refusal holds nothing that a stranger's page could not learn by asking for itself, credentials
 * are never allowed, and an echo would let in just as many while depending on a header that may be missing. What the
 * functions answer names none but the listed origins.
 */
export function refusalHeaders(corsOrigins: readonly string[], retryAfter?: number): Record<string, string> {
  const [only, ...others] = corsOrigins;
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    ...(only === undefined
      ? {}
      : {
          'Access-Control-Allow-Origin': others.length === 0 ? only : '*',
          'Access-Control-Expose-Headers': 'Retry-After',
          Vary: 'Origin',
        }),
  };
}
