/** The agent's HTTP client for the API: enrolment and renewal of certificates. */
import type * as z from 'zod';
import type { Operation } from '../../shared/api/operation.ts';
import { codeOf } from '../../shared/errno.ts';
import { ErrorBody, type ErrorCode } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import { oneLine } from '../../shared/text.ts';
import { reasonOf } from '../host/fetched.ts';

const TRANSIENT: ReadonlySet<ErrorCode> = new Set([
  ...(['busy', 'conflict', 'internal_error', 'request_timeout', 'too_many_requests', 'unavailable'] as const),
]);
const CUT_OFF: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const MAX_REASON_CHARACTERS = 1_000;

/** A request to the API that failed. The message says why. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The error code of the API; null when the API was not reached, or something else answered. */
  readonly code: ErrorCode | null;
  /** Whether a retry of the same request may succeed: the API could not handle it yet, or may have handled it. */
  readonly isTransient: boolean;

  constructor(
    message: string,
    code: ErrorCode | null,
    { isTransient, ...options }: ErrorOptions & { isTransient: boolean },
  ) {
    super(message, options);
    this.code = code;
    this.isTransient = isTransient;
  }
}

/**
 * Calls an operation that needs no token.
 * @param apiUrl base URL of the API, including a path prefix if there is one
 * @throws {ApiError}
 */
export async function callApi<Op extends Operation>(
  operation: Op,
  apiUrl: string,
  body: z.input<NonNullable<Op['body']>>,
): Promise<z.output<Op['response']>> {
  const url = `${apiUrl.replace(/\/+$/, '')}${operation.path}`;
  const { status, text } = await post(url, body);
  const json = parseJson(text);
  const answer = operation.response.safeParse(json);
  if (answer.success) return answer.data as z.output<Op['response']>;
  const refusal = ErrorBody.safeParse(json);
  if (refusal.success)
    throw new ApiError(
      `${url} refused the request: ${oneLine(refusal.data.message).slice(0, MAX_REASON_CHARACTERS)}`,
      refusal.data.code,
      { isTransient: TRANSIENT.has(refusal.data.code) },
    );
  const message = `${url} answered with status ${status} and an unexpected body; is this the URL of the API?`;
  throw new ApiError(message, null, { isTransient: status >= 500 });
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error', // The request holds secrets: it goes only to the URL that the operator gave.
      signal: AbortSignal.timeout(30_000),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new ApiError(`Cannot reach ${url}: ${causeOf(error)}`, null, { cause: error, isTransient: isCutOff(error) });
  }
}

/** Whether the request may have arrived. */
function isCutOff(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || CUT_OFF.has(codeOf(error.cause) ?? '');
}

function causeOf(error: unknown): string {
  if (error instanceof Error && codeOf(error.cause) === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return 'the server does not speak TLS at that port; should the URL begin with http://?';
  }
  return reasonOf(error);
}
