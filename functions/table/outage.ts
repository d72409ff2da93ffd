/** Which errors mean that a service of AWS is unavailable or overloaded, and not that a request was invalid. */
import { codeOf } from '../../shared/errno.ts';

/** Throttling errors of the AWS SDK, which throws one only after its retries. */
const THROTTLED = /Throttl|^ProvisionedThroughputExceededException$|^RequestLimitExceeded$/;
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST)/;
/** `AbortError` is the deadline of a call. */
const LATE: readonly string[] = ['TimeoutError', 'AbortError'];

/** The error message for callers when the disk of this machine is full. */
export const DISK_IS_FULL = 'The disk of the database is full, so that nothing can be written';

/** Whether a write failed for lack of space, or an error has that for its cause; reads continue. */
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
