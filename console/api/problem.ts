/** A failed request, as the console shows it. */
import { ApiError, ConnectionError, UnexpectedAnswerError } from '../../client/errors.ts';

type Details = Pick<Problem, 'status' | 'code'> &
  Partial<Pick<Problem, 'requestId' | 'fields' | 'skipped' | 'skippedCount' | 'retryAfter'>>;

/** The message is the API's own. */
export class Problem extends Error {
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** The error code of the API; `unreachable` without a response, `unexpected` when another server responded. */
  readonly code: string;
  readonly requestId: string | null;
  readonly fields: readonly { path: string; message: string }[];
  /** The first invalid lines of a rejected import. */
  readonly skipped: ApiError['skipped'];
  readonly skippedCount: number;
  /** Seconds until the API accepts a retry. */
  readonly retryAfter: number | null;

  constructor(message: string, details: Details) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId ?? null;
    this.fields = details.fields ?? [];
    this.skipped = details.skipped ?? [];
    this.skippedCount = details.skippedCount ?? 0;
    this.retryAfter = details.retryAfter ?? null;
  }
}

export function unexpectedAnswer(status: number, retryAfter: number | null = null): Problem {
  const message = `Something has answered with the status ${status}, and not as the API does.`;
  return new Problem(message, { status, code: 'unexpected', retryAfter });
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ApiError) return new Problem(error.message, { ...error, retryAfter: error.retryAfterS });
  if (error instanceof UnexpectedAnswerError) return unexpectedAnswer(error.status, error.retryAfterS);
  if (error instanceof ConnectionError) {
    const message = error.code === 'TIMEOUT' ? `${error.message}.` : 'The API cannot be reached.';
    return new Problem(message, { status: null, code: 'unreachable' });
  }
  return new Problem(error instanceof Error ? error.message : String(error), { status: null, code: 'unexpected' });
}
