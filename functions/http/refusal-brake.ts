/**
 * Rate limit for failed authentication, by address: guessing a token or an enrolment code is hopeless, but each guess
 * costs a read of the database. Each process counts for itself; in the cloud, the gateway's throttle bounds all
 * instances together.
 */
import type { MiddlewareHandler } from 'hono';
import { health } from '../../shared/api/health.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { formatRange, parseIp } from '../../shared/network.ts';
import type { Env } from './call.ts';
import type { ServiceContext } from './context.ts';
import { TokenBuckets } from './token-bucket.ts';

/**
 * Token bucket of one address: a burst, and one more refusal every second. A page with a wrong token stays below it.
 */
const LIMITS = { capacity: 300, refillMs: 1_000, maxKeys: 10_000 };
const WARN_EVERY_MS = 60_000;
/** Used by load balancers and supervisors, without a token. */
const HEALTH: ReadonlySet<string> = new Set(Object.values(health).map(({ path }) => path));
/** Its files read no database, and who has mistyped a token there must be able to load it again. */
const CONSOLE = /^\/console(?:\/|$)/;

/**
 * Middleware that must precede the operations. A token that was valid when this process last looked always passes,
 * because many users may share the address of a proxy. A request without an address did not come over a network.
 */
export function limitRefusals(context: ServiceContext): MiddlewareHandler<Env> {
  const brake = new RefusalBrake(context.log);
  return (c, next) => {
    const isKnown = () => c.get('knownTokens').has(c.get('presented'));
    const client = c.env?.clientAddress;
    const isExempt = client === undefined || HEALTH.has(c.req.path) || CONSOLE.test(c.req.path);
    if (isExempt || isKnown()) return next();
    const address = networkOf(client);
    const waitMs = brake.waitMs(address);
    if (waitMs > 0) {
      throw new ServiceError(
        'too_many_requests',
        'Too many requests from this address were refused; check the token or the code, and try again later',
        { retryAfter: Math.ceil(waitMs / 1_000) },
      );
    }
    return next().then(() => {
      // Requests with a valid token that lacks a scope or a site are not guesses.
      const isRefused = c.res.status === 403 || c.res.status === 401;
      if (isRefused && !isKnown()) brake.refused(address);
    });
  };
}

/** Counts refusals per address. */
export class RefusalBrake {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #buckets: TokenBuckets;
  /** Requests that were refused, or rejected unread, since the last warning. */
  readonly #counts = new Map<string, number>();
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
    this.#buckets = new TokenBuckets(LIMITS, now);
  }

  /** How long a request of this address has to wait; 0 when it may be handled. */
  waitMs(address: string): number {
    const waitMs = this.#buckets.waitMs(address);
    if (waitMs === 0) return 0;
    this.#count(address);
    this.#warn();
    return waitMs;
  }

  refused(address: string): void {
    // Those that were under way together are all owed, so that many at once gain nothing.
    this.#buckets.owe(address);
    this.#count(address);
  }

  #count(address: string): void {
    const count = this.#counts.get(address) ?? 0;
    if (count > 0 || this.#counts.size < LIMITS.maxKeys) this.#counts.set(address, count + 1);
  }

  /** Once a minute, while any address is limited. */
  #warn(): void {
    if (this.#now() - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = this.#now();
    const [[address, requests] = ['', 0]] = [...this.#counts].sort(([, a], [, b]) => b - a);
    const fields = { address, requests, otherAddresses: this.#counts.size - 1 };
    this.#log.warn(fields, 'an address is rate-limited: too many of its requests had no valid token or code');
    this.#counts.clear();
  }
}

/** An IPv4 address, or the /64 of an IPv6 address, because one client usually has a whole /64. */
export function networkOf(address: string): string {
  const parsed = parseIp(address);
  if (parsed === null || parsed.family === 4)
    return parsed === null ? address : formatRange({ address: parsed, prefix: 32 });
  const value = (parsed.value >> 64n) << 64n;
  return formatRange({ address: { family: 6, value, zone: null }, prefix: 64 });
}
