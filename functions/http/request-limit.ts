/**
 * Rate limit per token, so that a runaway program does not slow down all others. A token bucket holds the requests of one
 * minute, and is refilled evenly.
 *
 * Each process counts for itself. On one machine there is one; in the cloud every instance of a function counts its own
 * requests, so that a token may make more requests there, up to the limit of the gateway.
 */
import { ServiceError } from '../../shared/errors.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { TokenBuckets } from './token-bucket.ts';

/** Tokens that are counted at a time. Only valid ones are, so invalid requests cannot evict them. */
const MAX_TOKENS = 10_000;

/** As in draft-ietf-httpapi-ratelimit-headers-11. */
type LimitHeaders = Partial<Record<'RateLimit-Policy' | 'RateLimit', string>>;

export interface RequestLimit {
  /**
   * Counts one request of a token. One that waits for a command, or streams events, counts once.
   * @param headers of the response; those of the limit are added
   * @throws {ServiceError} `too_many_requests` when the token has none left
   */
  count(tokenId: string, headers: LimitHeaders): void;
}

/** @param perMinute null for no limit */
export function openRequestLimit(perMinute: number | null, now?: () => number): RequestLimit {
  if (perMinute === null) return { count() {} };
  const buckets = new TokenBuckets({ capacity: perMinute, refillMs: MINUTE_MS / perMinute, maxKeys: MAX_TOKENS }, now);
  const policy = `"default";q=${perMinute};w=${MINUTE_MS / 1000}`;
  return {
    count(tokenId, headers) {
      const waitMs = buckets.waitMs(tokenId);
      if (waitMs === 0) buckets.take(tokenId);
      headers['RateLimit-Policy'] = policy;
      headers.RateLimit = `"default";r=${buckets.left(tokenId)};t=${seconds(buckets.fullInMs(tokenId))}`;
      if (waitMs === 0) return;
      const retryAfter = Math.max(1, seconds(waitMs));
      throw new ServiceError(
        'too_many_requests',
        `The token has made more than ${perMinute} requests in a minute; try again in ${retryAfter} s, and more slowly`,
        { retryAfter },
      );
    },
  };
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);
