/**
 * Token buckets: each key, such as an address or the id of an API token, may do something `capacity` times at once, and
 * once more every `refillMs`. Nothing runs in the background: how full a bucket is follows from the time that has passed.
 */
import { LRUCache } from 'lru-cache';

export interface BucketLimits {
  capacity: number;
  /** Time in which one token is added. */
  refillMs: number;
  /** Buckets that are kept. Beyond it, those that were used longest ago are forgotten, and so full again. */
  maxKeys: number;
}

export class TokenBuckets {
  readonly #limits: BucketLimits;
  readonly #now: () => number;
  /** When each bucket will be full again, if nothing more is taken. */
  readonly #fullAt: LRUCache<string, number>;

  /** @param now a clock in milliseconds that never goes back */
  constructor(limits: BucketLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#fullAt = new LRUCache({ max: limits.maxKeys });
  }

  /** How many buckets are kept at the moment. */
  get size(): number {
    return this.#fullAt.size;
  }

  /** Takes a token. @returns false when there is none; then nothing is taken */
  take(key: string): boolean {
    if (this.waitMs(key) > 0) return false;
    const now = this.#now();
    this.#fullAt.set(key, Math.max(now, this.#fullAt.peek(key) ?? now) + this.#limits.refillMs);
    return true;
  }

  /** Milliseconds until there is a token to take; 0 when there is one. */
  waitMs(key: string): number {
    const { capacity, refillMs } = this.#limits;
    const missingMs = (this.#fullAt.peek(key) ?? 0) - this.#now();
    return Math.max(0, Math.ceil(missingMs - (capacity - 1) * refillMs));
  }
}
