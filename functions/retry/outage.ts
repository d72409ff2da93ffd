/** Which errors of the AWS SDK mean that a service is unavailable or overloaded, and not that a request was wrong. */
import { codeOf } from '../../shared/errno.ts';

/** Throttling errors, after the SDK has already retried several times. */
const THROTTLED = /Throttl|^ProvisionedThroughputExceededException$|^RequestLimitExceeded$/;
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST)/;

export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('$fault' in error) return error.$fault === 'server' || THROTTLED.test(error.name);
  return error.name === 'TimeoutError' || UNREACHABLE.test(codeOf(error));
}
