/**
 * Rate limit for failed authentication, by address: guessing a token or an enrolment code is hopeless, but each guess
 * costs a read of the database. Each process counts for itself; in the cloud, the gateway throttles all instances together.
 */
import type { MiddlewareHandler } from 'hono';
import { health } from '../../shared/api/health.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { formatRange, parseIp } from '../../shared/network.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Env } from './call.ts';
import type { ServiceContext } from './context.ts';
import { TokenBuckets } from './token-bucket.ts';

/** Per address: a burst, and one more rejection every second. A page with a wrong token stays below it. */
const LIMITS = { capacity: 300, refillMs: 1_000, maxKeys: 10_000 };
/** For load balancers and supervisors, without a token. */
const HEALTH: ReadonlySet<string> = new Set(Object.values(health).map(({ path }) => path));
/** Reads no database, and must load again after a mistyped token. */
const CONSOLE = /^\/console(?:\/|$)/;

/**
 * Middleware that must precede the operations. A token that was valid when this process last checked it always passes,
 * because many users may share the address of a proxy. A request without an address did not come over a network.
 */
export function limitRefusals(context: ServiceContext): MiddlewareHandler<Env> {
  const brake = openRefusalBrake(context.log);
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

/** Counts rejections per address. */
export function openRefusalBrake(log: Log, now: () => number = () => performance.now()) {
  const buckets = new TokenBuckets(LIMITS, now);
  /** Requests that were rejected, before or after they were read, since the last warning. */
  const counts = new Map<string, number>();
  let warnedAt = Number.NEGATIVE_INFINITY;

  function count(address: string): void {
    const before = counts.get(address) ?? 0;
    if (before > 0 || counts.size < LIMITS.maxKeys) counts.set(address, before + 1);
  }

  /** Once a minute, while any address is limited. */
  function warn(): void {
    if (now() - warnedAt < MINUTE_MS) return;
    warnedAt = now();
    const [[address, requests] = ['', 0]] = [...counts].sort(([, a], [, b]) => b - a);
    const fields = { address, requests, otherAddresses: counts.size - 1 };
    log.warn(fields, 'an address is rate-limited: too many of its requests had no valid token or code');
    counts.clear();
  }

  return {
    /** How long a request of this address has to wait; 0 when it may be handled. */
    waitMs(address: string): number {
      const waitMs = buckets.waitMs(address);
      if (waitMs === 0) return 0;
      count(address);
      warn();
      return waitMs;
    },

    refused(address: string): void {
      // Concurrent ones are all charged, so that many at once gain nothing.
      buckets.owe(address);
      count(address);
    },
  };
}

/** An IPv4 address, or the /64 of an IPv6 address, because one client usually has a whole /64. */
export function networkOf(address: string): string {
  const parsed = parseIp(address);
  if (parsed === null) return address;
  if (parsed.family === 4) return formatRange({ address: parsed, prefix: 32 });
  const value = (parsed.value >> 64n) << 64n;
  return formatRange({ address: { family: 6, value, zone: null }, prefix: 64 });
}
