/**
 * What may be over in a moment: an agent, a site or the internet that is lost. A program is told of it at once, and people
 * after two minutes, unless it is over by then.
 */

import type { ToTell } from './bursts.ts';
import type { Waiting } from './hook-store.ts';

const OVER_BY: Partial<Record<ToTell['type'], ToTell['type']>> = {
  'agent-lost': 'agent-back',
  'site-dark': 'site-back',
  'internet-lost': 'internet-back',
};
const BACK: readonly string[] = Object.values(OVER_BY);
const WAIT_MS = 2 * 60_000;
/** Events that wait. What comes beyond that is told at once. */
const MAX_WAITING = 50;

/** Whether events of this type are needed here, also those that nobody wants to hear of. */
export function mayBeBlip(type: ToTell['type']): boolean {
  return OVER_BY[type] !== undefined || BACK.includes(type);
}

/**
 * @param changes what has happened, by change
 * @param wants whether somebody wants to hear of a type
 * @returns what is to be told now, by change, and what waits
 */
export function withoutBlips(
  before: readonly Waiting[],
  changes: readonly (readonly ToTell[])[],
  { wants, now }: { wants(type: ToTell['type']): boolean; now: Date },
): { changes: ToTell[][]; waiting: Waiting[] } {
  let waiting = [...before];
  const told: ToTell[][] = [];
  function endUntil(at: number): void {
    told.push(...waiting.filter(({ until }) => until <= at).map(({ event }) => [event]));
    waiting = waiting.filter(({ until }) => until > at);
  }

  for (const events of changes) {
    const [first] = events;
    if (first === undefined) continue;
    const recordedAt = Date.parse(first.recordedAt);
    endUntil(recordedAt);
    const some: ToTell[] = [];
    for (const event of events) {
      const lost = waiting.find(({ event: { type, subject } }) => {
        return OVER_BY[type] === event.type && subject?.id === event.subject?.id;
      });
      if (lost !== undefined) waiting = waiting.filter((one) => one !== lost);
      const isBlip = lost !== undefined && Date.parse(event.at) - Date.parse(lost.event.at) < WAIT_MS;
      if (isBlip || isSaidBySite(event, events, wants)) continue;
      // An agent has told late of what is over: that says it all.
      if (lost !== undefined && !wants(event.type)) some.push(lost.event);
      if (!wants(event.type)) continue;
      if (OVER_BY[event.type] === undefined || waiting.length === MAX_WAITING) some.push(event);
      else waiting.push({ until: recordedAt + WAIT_MS, event });
    }
    told.push(some);
  }
  endUntil(now.getTime());
  return { changes: told, waiting };
}

/** Whether an agent is lost with its site, or back with it. */
function isSaidBySite({ type }: ToTell, events: readonly ToTell[], wants: (type: ToTell['type']) => boolean): boolean {
  const bySite = type === 'agent-lost' ? 'site-dark' : type === 'agent-back' ? 'site-back' : null;
  return bySite !== null && wants(bySite) && events.some((event) => event.type === bySite);
}

/** When the next of what waits is to be told; null when nothing does. */
export function nextOf(waiting: readonly Waiting[]): Date | null {
  return waiting.length === 0 ? null : new Date(Math.min(...waiting.map(({ until }) => until)));
}
