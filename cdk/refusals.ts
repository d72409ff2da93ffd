/** The responses of the gateway itself, when no function answers, in the form of the API. */
import { ERRORS, refusalBody } from '../functions/http/errors.ts';
import type { ErrorBody, ErrorCode } from '../shared/errors.ts';

interface Refusal {
  code: ErrorCode;
  message: string;
  /** Seconds. */
  retryAfter?: number;
}

/** Lambda rejected the invocation, or the function crashed: a running function would answer itself. */
const NO_ANSWER: Refusal = { code: 'unavailable', message: 'The service cannot answer at the moment', retryAfter: 2 };

/**
 * By the response types of the gateway. All others use `DEFAULT_4XX` or `DEFAULT_5XX`; also a function that Lambda throttles,
 * which a proxy integration turns into status 500. A function answers unknown paths.
 */
export const REFUSALS = {
  THROTTLED: { code: 'too_many_requests', message: 'Too many requests', retryAfter: 1 },
  QUOTA_EXCEEDED: { code: 'too_many_requests', message: 'Too many requests', retryAfter: 60 },
  REQUEST_TOO_LARGE: { code: 'payload_too_large', message: 'The body is larger than 10 MB' },
  UNSUPPORTED_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'The Content-Type of the request is not supported',
  },
  INTEGRATION_FAILURE: NO_ANSWER,
  INTEGRATION_TIMEOUT: { code: 'unavailable', message: 'The service did not answer in time', retryAfter: 2 },
  DEFAULT_4XX: { code: 'validation_failed', message: 'The request is malformed' },
  DEFAULT_5XX: NO_ANSWER,
} as const satisfies Record<string, Refusal>;
export type RefusalType = keyof typeof REFUSALS;

interface RefusalResponse {
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
 * Without CORS headers, a web page would get a network error instead of "too many requests". The gateway can send a fixed
 * value or echo the request's Origin, but not look it up in a list. For several origins it is `*`, which is safe: these
 * responses reveal nothing, credentials are never allowed, and an echo would admit as many origins but depend on a header
 * that may be missing. The responses of the functions name only the listed origins.
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
