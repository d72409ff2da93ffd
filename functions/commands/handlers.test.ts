import { expect, test } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import { startOrJoin } from './handlers.ts';

/** The keys that are released when the start of a command fails, and the row of its job reads like this. */
async function releasedAfterFailure(find: () => Promise<object | null>): Promise<string[]> {
  const released: string[] = [];
  const failure = new ServiceError('unavailable', 'the broker is gone');
  const jobs = {
    claimKey: async (_token: string, _key: string, _request: string, id: string) => id,
    releaseKey: async (_token: string, key: string) => void released.push(key),
    find,
  };
  const agents = { start: () => Promise.reject(failure) };
  const call = { site: 'home', token: { id: 'token' }, idempotencyKey: 'once', requestId: 'request' };
  const plan = { command: { tool: 'interfaces' as const }, wish: {}, requested: {} };
  await expect(startOrJoin({ agents, jobs } as never, call as never, plan)).rejects.toBe(failure);
  return released;
}

test('the key of a command that failed is released if there is no job, and only then', async () => {
  expect(await releasedAfterFailure(async () => null)).toEqual(['once']);
  expect(await releasedAfterFailure(async () => ({ state: 'queued' }))).toEqual([]);
  expect(await releasedAfterFailure(() => Promise.reject(new ServiceError('busy', 'no turn')))).toEqual([]);
});
