/** The only module that turns a failure into an HTTP response. */
import { STATUS_CODES } from 'node:http';
import type { Context as HonoContext } from 'hono';
import { MAX_FAULTS } from '../../shared/api/list.ts';
import {
  type ErrorBody,
  type ErrorCode,
  type FieldError,
  ServiceError,
  type StreamError,
} from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { startOf } from '../../shared/text.ts';
import { hasWritten } from '../table/request-cost.ts';
import { acceptsMediaType } from './accept.ts';
import type { Env } from './call.ts';
import { reply } from './reply.ts';

/** Status and title of every error code. */
export const ERRORS = {
  validation_failed: [400, 'Validation Error'],
  unsupported_format: [400, 'Unsupported format'],
  missing_file: [400, 'Missing file'],
  malformed_csv: [400, 'Malformed CSV'],
  unauthorized: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  site_forbidden: [403, 'Forbidden'],
  target_not_allowed: [403, 'Target not allowed'],
  enrolment_refused: [403, 'Forbidden'],
  not_found: [404, 'Not Found'],
  method_not_allowed: [405, 'Method Not Allowed'],
  request_timeout: [408, 'Request Timeout'],
  conflict: [409, 'Conflict'],
  replace_refused: [409, 'Conflict'],
  precondition_failed: [412, 'Precondition Failed'],
  payload_too_large: [413, 'Payload Too Large'],
  unsupported_media_type: [415, 'Unsupported Media Type'],
  idempotency_mismatch: [422, 'Idempotency Key Mismatch'],
  too_many_requests: [429, 'Too Many Requests'],
  internal_error: [500, 'Internal Server Error'],
  command_failed: [500, 'Command Failed'],
  agent_offline: [503, 'Agent Offline'],
  agent_busy: [503, 'Agent Busy'],
  tool_missing: [503, 'Tool Missing'],
  busy: [503, 'Busy'],
  unavailable: [503, 'Service Unavailable'],
  agent_silent: [503, 'Agent Silent'],
} as const satisfies Record<ErrorCode, readonly [number, string]>;

/** Messages may quote the request. */
const MAX_MESSAGE = 2_000;
const MAX_FIELD_MESSAGE = 300;
const MAX_PATH = 100;
/** Faults in the message. The list of fields has up to MAX_FAULTS. */
const FAULTS_IN_MESSAGE = 5;

/**
 * One error for all rejected fields of the request. It names the first ones and counts the others.
 * @param more faults beyond these
 */
export function validationError(faults: FieldError[], more = 0): ServiceError {
  const fields = faults.slice(0, MAX_FAULTS).map(({ path, message }) => ({
    path: shortened(path, MAX_PATH),
    message: shortened(message, MAX_FIELD_MESSAGE),
  }));
  const named = fields
    .slice(0, FAULTS_IN_MESSAGE)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const unnamed = faults.length + more - named.length;
  return new ServiceError('validation_failed', [...named, ...(unnamed > 0 ? [`and ${unnamed} more`] : [])].join('; '), {
    fields,
    fieldsOmitted: faults.length + more - fields.length,
  });
}

/** The error for one rejected field. */
export const invalid = (path: string, message: string): ServiceError => validationError([{ path, message }]);

/** @throws {ServiceError} `validation_failed` for a cursor that no page of the list has given */
export function checkCursor(isValid: boolean, message = 'expected the nextCursor of an earlier page'): void {
  if (!isValid) throw invalid('query.cursor', message);
}

const shortened = (text: string, most: number): string => (text.length > most ? `${startOf(text, most)}…` : text);

/** The failure as callers see it. An unexpected one is logged in full and reported as "Internal error". */
function shownFailure(error: unknown, requestId: string, log: Log): ServiceError {
  const failure = withTrueCode(
    error instanceof ServiceError ? error : new ServiceError('internal_error', 'Internal error', { cause: error }),
  );
  const [status] = ERRORS[failure.code];
  if (failure.cause !== undefined)
    log[status === 500 ? 'error' : 'warn']({ err: failure.cause, requestId, code: failure.code }, failure.message);
  return failure;
}

/** `busy` means that the request was rejected before it changed anything; once it has written, it is `unavailable`. */
function withTrueCode(failure: ServiceError): ServiceError {
  if (failure.code !== 'busy' || !hasWritten()) return failure;
  const { message, cause = failure, retryAfter } = failure;
  return new ServiceError('unavailable', message, { cause, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

/** The last event of a stream that failed after its status was sent. */
export function streamError(error: unknown, requestId: string, log: Log): StreamError {
  const { code, message, retryAfter } = shownFailure(error, requestId, log);
  const shown = { code, message: shortened(message, MAX_MESSAGE), requestId };
  return { ...shown, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** The body of an error that does not come from a handler, but from a gateway or the parser of a server. */
export function refusalBody(code: ErrorCode, message: string, requestId: string): ErrorBody {
  return { success: false, error: ERRORS[code][1], message, code, requestId };
}

/** The response to a request that failed. */
export function errorResponse(c: HonoContext<Env>, error: unknown, requestId: string, log: Log): Response {
  const failure = shownFailure(error, requestId, log);
  c.set('errorCode', failure.code);
  const [status] = ERRORS[failure.code];
  const body: ErrorBody = {
    ...refusalBody(failure.code, shortened(failure.message, MAX_MESSAGE), requestId),
    ...(failure.fields === undefined ? {} : { errors: failure.fields }),
    ...(failure.fieldsOmitted === 0 ? {} : { errorsOmitted: failure.fieldsOmitted }),
    ...(failure.details === undefined ? {} : { details: failure.details }),
    ...(failure.skipped && { skipped: [...failure.skipped.named], skipped_count: failure.skipped.count }),
  };
  const isProblem = acceptsMediaType(c.req.header('accept'), PROBLEM);
  return reply(c, JSON.stringify(isProblem ? { ...problemMembers(status, body), ...body } : body), status, {
    'Content-Type': isProblem ? PROBLEM : 'application/json',
    'Cache-Control': 'no-store',
    ...(failure.retryAfter === undefined ? {} : { 'Retry-After': String(failure.retryAfter) }),
    // Otherwise the unread rest of the body would be parsed as the next request.
    ...(failure.code === 'payload_too_large' ? { Connection: 'close' } : {}),
    ...(failure.code === 'forbidden' ? { 'WWW-Authenticate': 'Bearer' } : {}),
  });
}

/** For clients that accept it (RFC 9457). Its members are added to those of our own errors. */
const PROBLEM = 'application/problem+json';

/** The members of RFC 9457. The type is `about:blank`, so the title is the phrase of the status; `code` is more exact. */
function problemMembers(status: number, { message }: ErrorBody) {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? '', status, detail: message };
}
