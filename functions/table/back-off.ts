/** The back-off of retries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '../../shared/async.ts';

/** Waits a random time up to a bound that doubles with each attempt (full jitter). `attempt` counts from 0. */
export async function backOff(attempt: number): Promise<void> {
  await sleep(backOffMs(attempt, { firstMs: 40, longestMs: 1_500, least: 0 }));
}
