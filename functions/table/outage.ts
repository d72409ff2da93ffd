/** Which errors mean that a service of AWS is unavailable or overloaded, and not that a request was wrong. */
import { codeOf } from '../../shared/errno.ts';

/** Throttling errors of the AWS SDK, which has made the call several times before it throws one. */
const THROTTLED = /Throttl|^ProvisionedThroughputExceededException$|^RequestLimitExceeded$/;
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST)/;
/** `AbortError` is the end of a call's own time. */
const LATE: readonly string[] = ['TimeoutError', 'AbortError'];

/** What callers are told when the database of this machine says so. */
export const DISK_IS_FULL = 'The disk of the database is full, so that nothing can be written';

/** Whether a write failed for lack of room, or an error has that for its cause; reads go on. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === DISK_IS_FULL || isFullDisk(error.cause);
}

/** @param error of the AWS SDK or of Node.js */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('$fault' in error) return error.$fault === 'server' || THROTTLED.test(error.name);
  return LATE.includes(error.name) || UNREACHABLE.test(codeOf(error));
}
