/**
 * Tries a call again, as the AWS SDK does in its mode `standard` for DynamoDB, with at most three attempts; other than the
 * SDK, also a transaction that was cancelled only because its writes were throttled.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '../shared/async.ts';
import { DynamoDBError, type RetryReason } from './dynamodb-error.ts';

const ATTEMPTS = 3;
const BACK_OFF = {
  transient: { firstMs: 25, longestMs: 20_000, least: 0 },
  throttled: { firstMs: 1_000, longestMs: 20_000, least: 0 },
} as const satisfies Record<RetryReason, object>;

/**
 * What all retries of a client may cost together. While hardly any call succeeds, this is soon used up, and calls fail
 * after one attempt: retries must not multiply the load of a database that has too much of it.
 */
const BUDGET = 500;
const COST = { transient: 14, throttled: 5 } as const satisfies Record<RetryReason, number>;
/** What a success gives back if it needed no retry; otherwise what the last retry has cost. */
const GAIN = 1;

/** Returns a function that makes attempts until one succeeds, or another one would be of no use. */
export function openRetries(): <T>(attempt: () => Promise<T>) => Promise<T> {
  let budget = BUDGET;

  return async function withRetries(attempt) {
    let gain = GAIN;
    for (let count = 0; ; count++) {
      try {
        const result = await attempt();
        budget = Math.min(BUDGET, budget + gain);
        return result;
      } catch (error) {
        const reason = error instanceof DynamoDBError ? error.retry : null;
        if (reason === null || count + 1 === ATTEMPTS || budget < COST[reason]) throw error;
        budget -= COST[reason];
        gain = COST[reason];
        await sleep(backOffMs(count, BACK_OFF[reason]));
      }
    }
  };
}
