/** Which errors of the AWS SDK say that a service is away or overloaded, and not that a request was wrong. */
import { codeOf } from '../../shared/errno.ts';

/** Errors that say "too much at once"; the SDK has tried again several times before we see one. */
const THROTTLED = /Throttl|^ProvisionedThroughputExceededException$|^RequestLimitExceeded$/;
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST)/;

export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('$fault' in error) return error.$fault === 'server' || THROTTLED.test(error.name);
  return error.name === 'TimeoutError' || UNREACHABLE.test(codeOf(error));
}
