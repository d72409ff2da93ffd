/** What a person is told when a request has failed. */

export interface FieldProblem {
  path: string;
  message: string;
}

interface Details {
  /** The HTTP status; null when there was no answer. */
  status: number | null;
  /** The error code of the API; `unreachable` without an answer, `unexpected` when something else has answered. */
  code: string;
  requestId?: string | undefined;
  fields?: readonly FieldProblem[] | undefined;
  /** Seconds after which the API asks to be called again. */
  retryAfter?: number | undefined;
}

/** A failed request; the message is the API's own. */
export class Problem extends Error {
  readonly status: number | null;
  readonly code: string;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  readonly retryAfter: number | null;

  constructor(message: string, { status, code, requestId, fields, retryAfter }: Details) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId ?? null;
    this.fields = fields ?? [];
    this.retryAfter = retryAfter ?? null;
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(error instanceof Error ? error.message : String(error), { status: null, code: 'unexpected' });
}
