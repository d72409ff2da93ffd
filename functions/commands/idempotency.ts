/** Idempotency-Key: a repeated request gets the job or the batch that the first one has started. */
import { ServiceError } from '../../shared/errors.ts';
import { retryOnConflict } from '../table/retry.ts';
import type { JobStore } from './job-store.ts';

/**
 * @param id of what the request would start
 * @returns the id that holds the key: another one when the key was used before
 * @throws {ServiceError} `idempotency_mismatch` when it was used with another request
 */
export async function claimKey(
  jobs: Pick<JobStore, 'claimKey'>,
  token: string,
  key: string,
  request: string,
  id: string,
): Promise<string> {
  const holder = await jobs.claimKey(token, key, request, id);
  if (holder !== null) return holder;
  throw new ServiceError(
    'idempotency_mismatch',
    'The Idempotency-Key was used before with a different request; use a new key',
  );
}

/** Waits for what holds a key, whose row is written a moment after the key. */
export async function onceStarted<T>(find: () => Promise<T | null>): Promise<T> {
  const message = 'Another request with the same Idempotency-Key is being started; try again';
  return retryOnConflict(message, async () => (await find()) ?? undefined);
}
