/** Quiet hours: events in them are held, and sent as one message when they end. */

import type { EventType } from '../../shared/api/events.ts';
import type { Quiet } from '../../shared/api/hook-terms.ts';
import { isInWindow } from '../../shared/schedule-turns.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Span } from '../devices/read-changes.ts';
import { PRESENCE } from './flapping.ts';
import type { Notice } from './steps.ts';

/**
 * The quiet hours that contain a time, from their beginning to their end; null when none do. By the clock, minute by
 * minute: a time that the clock shows twice a year can be inside, outside and inside again.
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
