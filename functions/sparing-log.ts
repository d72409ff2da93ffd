/** Warnings about what others send. Whoever sends much of it must not fill the log. */
import { LRUCache } from 'lru-cache';
import type { Log } from './log.ts';

const EVERY_MS = 60_000;
/** Senders whose warnings are remembered; beyond that, the ones that were warned about first are forgotten. */
const MAX_SENDERS = 1_000;

export type WarnSparingly = (sender: string, fields: object, message: string) => void;

/** Writes the same warning about the same sender once a minute at most, with the number of those that were left out. */
export function sparingWarnings(log: Pick<Log, 'warn'>, now: () => number = Date.now): WarnSparingly {
  const written = new LRUCache<string, { at: number; leftOut: number }>({ max: MAX_SENDERS });
  return (sender, fields, message) => {
    const key = `${sender}\n${message}`;
    const last = written.peek(key);
    if (last !== undefined && now() - last.at < EVERY_MS) {
      last.leftOut++;
      return;
    }
    written.set(key, { at: now(), leftOut: 0 });
    log.warn({ ...fields, ...(last === undefined || last.leftOut === 0 ? {} : { leftOut: last.leftOut }) }, message);
  };
}
