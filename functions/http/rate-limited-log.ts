/** Rate-limited warnings about messages of others, so that no sender can fill the log. */
import type { Log } from '../../shared/log.ts';
import { MINUTE_MS } from '../../shared/time.ts';

/** Senders whose warnings are remembered; beyond that, the oldest are evicted. */
const MAX_SENDERS = 1_000;

type WarnRateLimited = (sender: string, fields: object, message: string) => void;

/** Logs the same warning about the same sender at most once a minute, with the number of suppressed ones as `leftOut`. */
export function rateLimitedWarnings(log: Pick<Log, 'warn'>, now: () => number = Date.now): WarnRateLimited {
  const written = new Map<string, { at: number; leftOut: number }>();
  return (sender, fields, message) => {
    const key = `${sender}\n${message}`;
    const last = written.get(key);
    if (last !== undefined && now() - last.at < MINUTE_MS) {
      last.leftOut++;
      return;
    }
    written.delete(key); // So that it becomes the newest.
    written.set(key, { at: now(), leftOut: 0 });
    for (const oldest of written.keys()) {
      if (written.size <= MAX_SENDERS) break;
      written.delete(oldest);
    }
    log.warn({ ...fields, ...(last === undefined || last.leftOut === 0 ? {} : { leftOut: last.leftOut }) }, message);
  };
}
