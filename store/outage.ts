/** Which errors mean that a service of AWS is unavailable or overloaded, and not that a request was wrong. */
import { codeOf } from '../shared/errno.ts';

/** Throttling errors of the AWS SDK, which has made the call several times before it throws one. */
const THROTTLED = /Throttl|^ProvisionedThroughputExceededException$|^RequestLimitExceeded$/;
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST)/;

/** What callers are told when the embedded database says so. */
export const DISK_IS_FULL = 'The disk of the database is full, so that nothing can be written';

/** Whether a write of the embedded database failed for lack of room, or an error has that for its cause; reads go on. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes('database or disk is full') || isFullDisk(error.cause);
}

/** @param error of the AWS SDK, of our own client of DynamoDB, or of Node.js */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('retry' in error) return error.retry !== null; // A `DynamoDBError` says itself whether another try makes sense.
  if ('$fault' in error) return error.$fault === 'server' || THROTTLED.test(error.name);
  return error.name === 'TimeoutError' || UNREACHABLE.test(codeOf(error));
}
