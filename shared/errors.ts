/** The errors of the service: a list of codes, and one body for every failed request. */
import * as z from 'zod';

export const ERROR_CODES = [
  'validation_failed', // a field of the request is missing, of the wrong type or out of range
  'unsupported_format', // an export format other than csv and json
  'missing_file', // an import without a file and without content
  'malformed_csv', // an import whose text cannot be read as CSV
  'forbidden', // no token, an unknown, expired or revoked one, or one without the scope
  'site_forbidden', // a site that does not exist or that the token may not use
  'target_not_allowed', // the agent's own policy refuses the target
  'enrolment_refused', // an enrolment code that is unknown, used or expired; a proof by a key that is not the agent's
  'not_found', // the path, job or token does not exist
  'method_not_allowed',
  'request_timeout', // the request was not received completely in time
  'conflict', // another change of the same thing is in progress or came first
  'precondition_failed', // the current entity tag is none of those in If-Match
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_mismatch', // the Idempotency-Key was used before with another request
  'too_many_requests',
  'internal_error',
  'command_failed', // the tool on the site ran and failed
  'agent_offline', // no agent of the site is connected
  'agent_busy', // the agent is running as many commands as its policy allows
  'agent_silent', // the agent counts as connected but did not even acknowledge the request
  'tool_missing', // the agent's host lacks the program
  'unavailable', // the database or the broker cannot be reached, or the service is overloaded
] as const;

export const ErrorCode = z.enum(ERROR_CODES);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** An invalid field. `path` is dotted from the body's root, `query.<name>` or `path.<name>`. */
export const FieldError = z.object({ path: z.string(), message: z.string() });
export type FieldError = z.infer<typeof FieldError>;

/** The body of every failed request. */
export const ErrorBody = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: 'Short class of the error, such as "Forbidden".' }),
    message: z.string().meta({ description: 'One sentence for a person.' }),
    code: ErrorCode,
    requestId: z.string(),
    errors: z.array(FieldError).optional().meta({ description: 'The fields that were refused: at most 20 of them.' }),
    errorsOmitted: z
      .int()
      .optional()
      .meta({ description: 'How many more faults there were than are listed; absent when none.' }),
    details: z.string().optional().meta({ description: 'The last words of a tool that failed.' }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The data of the event `error`, the last event of a stream that has failed. */
export const StreamError = ErrorBody.pick({ message: true, code: true, requestId: true })
  .extend({ retryAfter: z.int().optional().meta({ description: 'Seconds after which another try makes sense.' }) })
  .meta({ id: 'StreamError' });
export type StreamError = z.infer<typeof StreamError>;

/** An expected failure. Its message is shown to the caller; its `cause` is only logged. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ErrorCode;
  readonly fields: FieldError[] | undefined;
  /** How many more faults there are than `fields` lists. */
  readonly fieldsOmitted: number;
  /** The last output of a tool that failed. */
  readonly details: string | undefined;
  /** Seconds after which the request may be repeated. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & {
      fields?: FieldError[];
      fieldsOmitted?: number;
      details?: string | undefined;
      retryAfter?: number;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.fields = options.fields;
    this.fieldsOmitted = options.fieldsOmitted ?? 0;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }
}
