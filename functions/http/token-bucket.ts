/**
 * Token buckets: each key, such as an IP address or the id of an API token, allows `capacity` actions at once, and one
 * more every `refillMs`. There are no timers: the content of a bucket is computed from the elapsed time.
 */
import { ServiceError } from '../../shared/errors.ts';

interface BucketLimits {
  capacity: number;
  /** Time in which one token is added. */
  refillMs: number;
  /** Beyond this many buckets, the least recently used are evicted, and so are full again. */
  maxKeys: number;
}

export class TokenBuckets {
  readonly #limits: BucketLimits;
  readonly #now: () => number;
  /** When each bucket will be full again; the most recently used one comes last. */
  readonly #fullAt = new Map<string, number>();

  /** @param now a clock in milliseconds that never goes back */
  constructor(limits: BucketLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** How many buckets are kept now. */
  get size(): number {
    return this.#fullAt.size;
  }

  /** Takes a token. @returns false when there is none */
  take(key: string): boolean {
    if (this.waitMs(key) > 0) return false;
    this.owe(key);
    return true;
  }

  /** Takes a token. @throws {ServiceError} `too_many_requests` with this message when there is none */
  require(key: string, message: string): void {
    if (this.take(key)) return;
    throw new ServiceError('too_many_requests', message, { retryAfter: Math.ceil(this.waitMs(key) / 1_000) });
  }

  /** Takes tokens even if there are none: the bucket then owes them, up to its capacity. */
  owe(key: string, count = 1): void {
    const { capacity, refillMs, maxKeys } = this.#limits;
    const now = this.#now();
    const fullAt = Math.min(
      Math.max(now, this.#fullAt.get(key) ?? now) + count * refillMs,
      now + 2 * capacity * refillMs,
    );
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    for (const oldest of this.#fullAt.keys()) {
      if (this.#fullAt.size <= maxKeys) break;
      this.#fullAt.delete(oldest);
    }
  }

  /** Milliseconds until there is a token to take; 0 when there is one. */
  waitMs(key: string): number {
    const { capacity, refillMs } = this.#limits;
    return Math.max(0, Math.ceil(this.fullInMs(key) - (capacity - 1) * refillMs));
  }

  /** Whole tokens in the bucket. */
  left(key: string): number {
    const { capacity, refillMs } = this.#limits;
    return Math.max(0, Math.floor(capacity - this.fullInMs(key) / refillMs));
  }

  /** Milliseconds until the bucket is full again, if no token is taken meanwhile. */
  fullInMs(key: string): number {
    return Math.max(0, (this.#fullAt.get(key) ?? 0) - this.#now());
  }
}
