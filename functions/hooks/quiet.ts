/** Quiet hours: what happens in them is held, and sent as one message when they end. */
import type { EventType } from '../../shared/api/events.ts';
import type { Quiet } from '../../shared/api/hook-terms.ts';
import { isInWindow } from '../../shared/schedule-turns.ts';
import type { Span } from '../devices/read-changes.ts';
import type { Notice } from './steps.ts';

const MINUTE_MS = 60_000;
const PRESENCE: readonly string[] = ['online', 'offline', 'down'];

/**
 * The quiet hours in which a time lies, from their beginning to their end; null when it lies in none. By the clock, minute
 * by minute: what it shows twice in a year can be inside, outside and inside again.
 */
export function quietAt({ from, to }: Quiet, timeZone: string, at: Date): Span | null {
  const isQuiet = (time: number) => isInWindow({ from, to }, time, timeZone);
  if (!isQuiet(at.getTime())) return null;
  let since = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
  let until = since + MINUTE_MS;
  while (isQuiet(since - MINUTE_MS)) since -= MINUTE_MS;
  while (isQuiet(until)) until += MINUTE_MS;
  return { since: new Date(since), until: new Date(until) };
}

/** Whether events of this type are sent in quiet hours too. */
export function isExcepted(except: readonly EventType[] = [], type: Notice['type']): boolean {
  return except.some((one) => one === type || (type === 'flapping' && PRESENCE.includes(one)));
}
