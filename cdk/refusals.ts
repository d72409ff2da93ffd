/** What the gateway says by itself, when no function is asked: in the words of the contract. */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ERRORS } from '../functions/http/errors.ts';
import type { ErrorBody, ErrorCode } from '../shared/errors.ts';

interface Refusal {
  type: ResponseType;
  code: ErrorCode;
  message: string;
  /** Seconds. */
  retryAfter?: number;
}

const REFUSALS: Refusal[] = [
  { type: ResponseType.THROTTLED, code: 'too_many_requests', message: 'Too many requests', retryAfter: 1 },
  { type: ResponseType.QUOTA_EXCEEDED, code: 'too_many_requests', message: 'Too many requests', retryAfter: 60 },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 'payload_too_large', message: 'The body is larger than 10 MB' },
  { type: ResponseType.UNSUPPORTED_MEDIA_TYPE, code: 'unsupported_media_type', message: 'Unknown media type' },
  // A path that is not there is told as a missing or, with a bearer token, as a malformed signature.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 'not_found', message: 'There is nothing at this path' },
  { type: ResponseType.INVALID_SIGNATURE, code: 'not_found', message: 'There is nothing at this path' },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 'not_found', message: 'There is nothing at this path' },
  { type: ResponseType.WAF_FILTERED, code: 'forbidden', message: 'The request was refused by the firewall' },
  {
    type: ResponseType.INTEGRATION_FAILURE,
    code: 'unavailable',
    message: 'The service cannot be reached at the moment',
    retryAfter: 2,
  },
  {
    type: ResponseType.INTEGRATION_TIMEOUT,
    code: 'unavailable',
    message: 'The service did not answer in time',
    retryAfter: 2,
  },
  { type: ResponseType.DEFAULT_4XX, code: 'validation_failed', message: 'The request cannot be read' },
  { type: ResponseType.DEFAULT_5XX, code: 'internal_error', message: 'Internal error' },
];

export function addRefusals(api: RestApi, corsOrigins: readonly string[]): void {
  for (const { type, code, message, retryAfter } of REFUSALS) {
    const headers = refusalHeaders(corsOrigins, retryAfter);
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(ERRORS[code][0]),
      responseHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`])),
      templates: { 'application/json': JSON.stringify(refusalBody(code, message, '$context.requestId')) },
    });
  }
}

export function refusalBody(code: ErrorCode, message: string, requestId: string): ErrorBody {
  return { success: false, error: ERRORS[code][1], message, code, requestId };
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
