/** What a person is told when a request has failed. */
import { ApiError, ConnectionError, UnexpectedAnswerError } from '../../client/errors.ts';

interface FieldProblem {
  path: string;
  message: string;
}

interface Details {
  /** The HTTP status; null when there was no answer. */
  status: number | null;
  /** The error code of the API; `unreachable` without an answer, `unexpected` when something else has answered. */
  code: string;
  requestId?: string;
  fields?: readonly FieldProblem[];
  skipped?: ApiError['skipped'];
  skippedCount?: number;
  /** Seconds after which the API asks to be called again. */
  retryAfter?: number | null;
}

/** A failed request; the message is the API's own. */
export class Problem extends Error {
  readonly status: number | null;
  readonly code: string;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  /** The lines of a refused import that cannot be taken over; the first of them. */
  readonly skipped: ApiError['skipped'];
  readonly skippedCount: number;
  readonly retryAfter: number | null;

  constructor(message: string, { status, code, requestId, fields, skipped, skippedCount, retryAfter }: Details) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId ?? null;
    this.fields = fields ?? [];
    this.skipped = skipped ?? [];
    this.skippedCount = skippedCount ?? 0;
    this.retryAfter = retryAfter ?? null;
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
