/** The agent as a client of the API: for its enrolment, and for its certificates from then on. */
import type * as z from 'zod';
import type { Operation } from '../../shared/api/operation.ts';
import { codeOf } from '../../shared/errno.ts';
import { ErrorBody, type ErrorCode } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';

const ANSWER_WITHIN_MS = 30_000;
/** Characters of what the API says. */
const LONGEST_REASON = 1_000;

/** A request that came to nothing. The message says why. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** What the API itself said; null when it was not reached, or something else answered. */
  readonly code: ErrorCode | null;

  constructor(message: string, code: ErrorCode | null, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Asks for an operation that needs no token.
 * @param apiUrl where the API is found, with whatever path prefix it has
 * @throws {ApiError}
 */
export async function askApi<Op extends Operation>(
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
  if (refusal.success) throw new ApiError(`${url} refused it: ${printable(refusal.data.message)}`, refusal.data.code);
  throw new ApiError(`${url} answered ${status} with something else than expected; is it the API's URL?`, null);
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error', // What is sent goes where the operator said, and nowhere else.
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new ApiError(`Cannot reach ${url}: ${causeOf(error)}`, null, { cause: error });
  }
}

/** What fetch() hides behind "fetch failed". */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (codeOf(error.cause) === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return 'there is no TLS at that port; is it http://?';
  }
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** What comes over the network must not steer the terminal of whoever enrols a host, who is root. */
function printable(text: string): string {
  return text.slice(0, LONGEST_REASON).replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}
