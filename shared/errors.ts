/** The errors of the service: the codes with their meanings, and one body for every failed request. */
import * as z from 'zod';

/** The documentation of an error code. `functions/http/errors.ts` has its HTTP status. */
interface Meaning {
  /** When it occurs. */
  cause: string;
  /** What the caller can do. */
  cure: string;
  /** A message as callers get it. */
  example: string;
}

/** Every error code. docs/errors.md and the OpenAPI document are generated from it. */
export const ERROR_MEANINGS = {
  validation_failed: {
    cause: 'A field of the path, the query, a header or the body is missing, of the wrong type or out of range.',
    cure: 'Correct the fields that `errors` names. Repeating the same request does not help.',
    example: 'mode: expected one of "fast"|"normal"|"detail"|"skipdiscovery"',
  },
  unsupported_format: {
    cause: 'The requested format of an export is neither `csv` nor `json`.',
    cure: 'Use `csv` or `json`, in any letter case.',
    example: 'Unsupported format "xml": use csv or json',
  },
  missing_file: {
    cause: 'An import has neither a file nor `content`.',
    cure: 'Send the CSV as the field `file` of a form (multipart/form-data), or in base64 as `content` in JSON.',
    example: 'Send the CSV file as the form field "file", or as base64 in "content"',
  },
  malformed_csv: {
    cause:
      'The text of an import is not valid CSV: it has no header, no known column or broken quotes, or is not UTF-8 or base64.',
    cure: 'Correct the file where the message says. Nothing was changed.',
    example: 'The first line of the file names no known column, such as devName or devMac',
  },
  unauthorized: {
    cause:
      'Like `forbidden`, from `/mcp`, where the protocol requires the status 401, and from `/agent/packages/` without a permit.',
    cure: 'Let the client follow the challenge, so that a person can agree; or send `Authorization: Bearer <token>` (docs/assistants.md). For a package: `LanReach-Permit: <enrolment code>`.',
    example: 'ERROR: Not authorized',
  },
  forbidden: {
    cause: 'The request has no token, or its token is unknown, expired or revoked, or lacks the scope.',
    cure: 'Send `Authorization: Bearer <token>`. When `errors` names a scope, use a token that has it.',
    example: 'ERROR: Not authorized',
  },
  site_forbidden: {
    cause: 'The site does not exist or is deleted, or the token may not use it.',
    cure: '`GET /sites` lists the sites of the token. An operator can make a token for this site.',
    example: 'The site "cabin" does not exist, or the token may not use it',
  },
  target_not_allowed: {
    cause: 'The policy file on the host of the agent denies the tool, the target or the size of the range.',
    cure: 'Choose another target or a smaller range, or change the policy on that host.',
    example: 'Cannot run nmap: The policy of this agent does not allow the target 203.0.113.7',
  },
  enrolment_refused: {
    cause:
      "An enrolment code is unknown, used, expired, revoked or for another network, the name is taken, or a proof was not made with the agent's key.",
    cure: 'Create a new code: `lanreach agent enrol --site <site>`. Each works once, within an hour.',
    example: 'The enrolment code is unknown, used or expired; ask for a new one',
  },
  not_found: {
    cause: 'The path, or the device, job, token or agent that it names, does not exist.',
    cure: 'Check the path and the id; lists such as `GET /jobs` return the existing ones.',
    example: 'The job home.01934c1e-5f00-7a11-8a22-0123456789ab does not exist',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method. A command is never run by HEAD.',
    cure: 'Use one of the methods in the header `Allow`.',
    example: 'PUT is not allowed for this path; allowed: DELETE, GET, HEAD, OPTIONS',
  },
  request_timeout: {
    cause: 'The request was not received completely in time.',
    cure: 'Send it again, over a faster or more reliable connection.',
    example: 'The request was not received in time',
  },
  conflict: {
    cause: 'Another change of the same thing is in progress or came first, or the name is taken.',
    cure: 'Read the resource again, and decide by its current state; retry after `Retry-After` if present.',
    example: 'There is a site "home" already',
  },
  replace_refused: {
    cause:
      'An import with `mode=replace` cannot determine which devices to keep: rows of the file are unreadable, or it names no device.',
    cure: 'Correct the lines in `skipped`, or send `allowSkipped=true` to also remove the devices that they may name. Nothing was changed. A file that names no device never replaces.',
    example: 'mode=replace removes nothing while 2 rows cannot be read, such as line 2: has 7 columns, expected 3',
  },
  precondition_failed: {
    cause: 'The device has been changed since it was read: its current ETag is not in `If-Match`.',
    cure: 'Read the device again, and repeat the change with its new ETag.',
    example: 'The device 00:1E:06:AA:BB:01 has been changed since it was read (If-Match): read it again',
  },
  payload_too_large: {
    cause: 'The body is larger than the operation accepts, or an import has too many rows.',
    cure: 'Send less at once, for example an import in parts.',
    example: 'The body is larger than 64 KB',
  },
  unsupported_media_type: {
    cause: 'The operation does not accept this Content-Type, or the body is compressed.',
    cure: 'Send `Content-Type: application/json` and no Content-Encoding. Imports accept forms as well.',
    example: 'Expected the Content-Type application/json, not "text/plain"',
  },
  idempotency_mismatch: {
    cause: 'The Idempotency-Key was used in the last 24 hours with another request.',
    cure: 'Use a new key for each new request; repeat a key only with the same request.',
    example: 'The Idempotency-Key was used before with a different request; use a new key',
  },
  too_many_requests: {
    cause: 'The caller has sent too many requests, or too many without a valid token.',
    cure: 'Wait for the seconds in `Retry-After`.',
    example: 'Too many requests',
  },
  internal_error: {
    cause: 'A defect of the service. Its log has the details under the `requestId`.',
    cure: 'Report it, with the `requestId`. The request may or may not have had an effect.',
    example: 'Internal error',
  },
  command_failed: {
    cause: 'The agent started the tool, and it failed, timed out or was cancelled.',
    cure: 'The message and `details` have the last output of the tool; the job has all of it.',
    example: 'Cannot run nslookup: nas.lan: NXDOMAIN',
  },
  agent_offline: {
    cause: 'No agent of the site is connected, or the requested one is not.',
    cure: 'Check the host: `sudo lanreach-agent doctor` reports problems. Retry after `Retry-After`.',
    example: 'No agent of site "home" is connected',
  },
  agent_busy: {
    cause: 'The agent already runs and queues as many commands as its policy allows.',
    cure: 'Retry after `Retry-After`, or cancel a command: `GET /jobs` lists them.',
    example: 'Cannot run nmap: the agent is already running as many commands as its policy allows',
  },
  agent_silent: {
    cause: 'The agent counts as connected but did not acknowledge the request in time, so the command did not run.',
    cure: 'Retry after `Retry-After`; if it recurs, check the network of the host.',
    example: 'The agent home:main counts as connected but does not answer',
  },
  tool_missing: {
    cause: 'The host of the agent lacks the program.',
    cure: 'Install it there: `sudo lanreach-agent doctor` names the package.',
    example: 'Cannot run nmap: the program is not installed on the host of the agent',
  },
  busy: {
    cause: 'The service is at capacity and rejected this request before it began.',
    cure: 'Retry after `Retry-After`, and send fewer requests at the same time.',
    example: 'Too many imports are waiting already; try again later',
  },
  unavailable: {
    cause: 'The database or the broker is unreachable, its disk is full, or the service is overloaded.',
    cure: 'Retry after `Retry-After`, or after some seconds.',
    example: 'The database or the broker has not answered within 2 s',
  },
} as const satisfies Record<string, Meaning>;

export type ErrorCode = keyof typeof ERROR_MEANINGS;
const CODES = Object.keys(ERROR_MEANINGS) as [ErrorCode, ...ErrorCode[]];
export const ErrorCode = z.enum(CODES);

/** An invalid field. `path` is dotted from the body's root, `query.<name>` or `path.<name>`. */
export const FieldError = z.object({ path: z.string(), message: z.string() });
export type FieldError = z.infer<typeof FieldError>;

/** A line of an import, with what is wrong or was changed. */
export const NamedLine = z.object({
  line: z.int().min(1).describe('Number of the line in the file; the header is line 1.'),
  reason: z.string(),
});
export type NamedLine = z.infer<typeof NamedLine>;

/** The body of every failed request. */
export const ErrorBody = z
  .object({
    success: z.literal(false),
    error: z.string().describe('Short class of the error, such as "Forbidden".'),
    message: z.string().describe('One sentence for a person.'),
    code: ErrorCode,
    requestId: z.string(),
    errors: z.array(FieldError).optional().describe('The rejected fields: at most 20 of them.'),
    errorsOmitted: z.int().optional().describe('Number of errors beyond those listed; absent when none.'),
    details: z.string().optional().describe('The last output of a tool that failed.'),
    skipped: z
      .array(NamedLine)
      .max(1_000)
      .optional()
      .describe('Of a rejected import: the first 1,000 lines that cannot be imported.'),
    skipped_count: z.int().optional().describe('The number of such lines, listed or not.'),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The body for callers that accept `application/problem+json`: the members of RFC 9457 beside ours. */
export const Problem = z
  .object({
    type: z.literal('about:blank'),
    title: z.string().describe('The phrase of the status.'),
    status: z.int(),
    detail: z.string().describe('The same as `message`.'),
    ...ErrorBody.shape,
  })
  .meta({ id: 'Problem' });

/** The data of the event `error`, the last event of a stream that has failed. */
export const StreamError = ErrorBody.pick({ message: true, code: true, requestId: true })
  .extend({ retryAfter: z.int().optional().describe('Seconds after which to retry.') })
  .meta({ id: 'StreamError' });
export type StreamError = z.infer<typeof StreamError>;

/** An expected failure. Its message is shown to the caller; its `cause` is only logged. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ErrorCode;
  readonly fields: FieldError[] | undefined;
  /** Number of errors beyond `fields`. */
  readonly fieldsOmitted: number;
  /** The last output of a tool that failed. */
  readonly details: string | undefined;
  /** The lines of a rejected import that cannot be imported; all are counted, and the first of them are named. */
  readonly skipped: { count: number; named: readonly NamedLine[] } | undefined;
  /** Seconds after which the request may be repeated. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & {
      fields?: FieldError[];
      fieldsOmitted?: number;
      details?: string | undefined;
      skipped?: { count: number; named: readonly NamedLine[] };
      retryAfter?: number;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.fields = options.fields;
    this.fieldsOmitted = options.fieldsOmitted ?? 0;
    this.details = options.details;
    this.skipped = options.skipped;
    this.retryAfter = options.retryAfter;
  }
}
