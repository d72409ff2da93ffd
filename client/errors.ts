/** How a request can fail: refused by the API, not answered at all, or answered by something else. */
import type { ErrorCode, FieldError, NamedLine } from '../shared/errors.ts';

/** The API has refused the request, or could not carry it out. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The HTTP status; null for an error that ends a stream of events. */
  readonly status: number | null;
  readonly code: ErrorCode;
  /** The invalid fields; at most 20 are listed. */
  readonly fields: readonly FieldError[];
  /** How many more faults there are than `fields` lists. */
  readonly fieldsOmitted: number;
  /** What the log of the service calls this request. */
  readonly requestId: string;
  /** The lines of a refused import that cannot be taken over; the first of them. */
  readonly skipped: readonly NamedLine[];
  readonly skippedCount: number;
  /** Seconds after which the API asks to be called again; null where it does not say. */
  readonly retryAfterS: number | null;

  constructor(
    message: string,
    details: {
      status: number | null;
      code: ErrorCode;
      fields?: readonly FieldError[];
      fieldsOmitted?: number;
      requestId: string;
      skipped?: readonly NamedLine[];
      skippedCount?: number;
      retryAfterS?: number | null;
    },
  ) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.fields = details.fields ?? [];
    this.fieldsOmitted = details.fieldsOmitted ?? 0;
    this.requestId = details.requestId;
    this.skipped = details.skipped ?? [];
    this.skippedCount = details.skippedCount ?? this.skipped.length;
    this.retryAfterS = details.retryAfterS ?? null;
  }
}

/** Nothing has answered, or not in time. The request may have arrived nevertheless. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  /** The base URL of the API. */
  readonly url: string;
  /** `TIMEOUT`, or the code that the network gave, such as `ECONNREFUSED`; empty in browsers, which give none. */
  readonly code: string;

  constructor(message: string, { url, code, cause }: { url: string; code: string; cause: unknown }) {
    super(message, { cause });
    this.url = url;
    this.code = code;
  }
}

/** Something has answered that does not speak as the API does, such as a gateway or another service. */
export class UnexpectedAnswerError extends Error {
  override name = 'UnexpectedAnswerError';
  readonly status: number;
  /** Seconds after which to call again, where the answer says so. */
  readonly retryAfterS: number | null;

  constructor(message: string, status: number, retryAfterS: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

/** A parameter that would change the path of the request, such as `..`; nothing was sent. */
export class InvalidInputError extends Error {
  override name = 'InvalidInputError';
}
