/** Writers that compete for a row. */
import { ServiceError } from '../../shared/errors.ts';
import { backOff } from './back-off.ts';

const ATTEMPTS = 8;

/**
 * Retries with back-off while `attempt` returns undefined: another writer has changed the row since it was read.
 * @throws {ServiceError} `conflict` after eight attempts
 */
export async function retryOnConflict<T>(
  message: string,
  attempt: (count: number) => Promise<T | undefined>,
): Promise<T> {
  for (let count = 0; count < ATTEMPTS; count++) {
    if (count > 0) await backOff(count - 1);
    const result = await attempt(count);
    if (result !== undefined) return result;
  }
  throw new ServiceError('conflict', message, { retryAfter: 1 });
}
