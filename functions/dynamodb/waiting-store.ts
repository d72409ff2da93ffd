/**
 * Places for calls that wait, shared by all instances of all functions: one row with a lease for each place. The lease of
 * an instance that is gone runs out by itself, so nothing has to be cleaned up.
 */
import { placesFor, placesForEach, type WaitingKind, type WaitingPlaces } from '../load/waiting-places.ts';
import type { Log } from '../log/log.ts';
import type { Scalar } from './attribute-values.ts';
import { unchanged } from './expression.ts';
import { rows } from './rows.ts';
import type { Table } from './table.ts';

/** What the clocks of two instances may differ by, and what a call may take to answer when its wait is over. */
const LEASE_MARGIN_MS = 5_000;
/** Others may take the place that was found free. */
const ATTEMPTS = 3;

/** @param places how many there are; rows of an earlier setting with more are ignored */
export function openWaitingPlaces(table: Table, places: number, now: () => Date, log: Log): WaitingPlaces {
  const key = rows.waitingPlaces();
  const names = Array.from({ length: places }, (_, i) => `p${i}`);
  const forStreams = new Set(names.slice(0, placesFor('stream', places)));

  async function takeOne(kind: WaitingKind, leaseEnds: number, holder: string): Promise<string | null> {
    const own = `${kind} ${holder}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const row: Partial<Record<string, Scalar>> = (await table.get(key, { consistent: true })) ?? {};
      const isFree = (place: string) => Number(row[place] ?? 0) < now().getTime();
      const held = names.filter((place) => !isFree(place) && row[holderOf(place)] === own);
      if (held.length >= placesForEach(kind, places)) return null;
      const free = names.slice(0, placesFor(kind, places)).filter(isFree);
      // Calls take those that streams may not use, as long as there are some.
      const forCallsOnly = free.filter((place) => !forStreams.has(place));
      const preferred = kind === 'call' && forCallsOnly.length > 0 ? forCallsOnly : free;
      const place = preferred[Math.floor(Math.random() * preferred.length)];
      if (place === undefined) return null;
      const taken = { [place]: leaseEnds, [holderOf(place)]: own };
      if (await table.update(key, { set: taken, ...unchanged([place], row) })) return place;
    }
    return null;
  }

  async function release(place: string, lease: number): Promise<void> {
    await table.update(key, { set: { [place]: 0 }, condition: `#${place} = :lease`, values: { lease } });
  }

  return {
    async take(kind, until, holder) {
      const lease = until + LEASE_MARGIN_MS;
      try {
        const place = await takeOne(kind, lease, holder);
        if (place === null) return null;
        return () =>
          release(place, lease).catch((error) => log.warn({ err: error }, 'cannot give a waiting place back'));
      } catch (error) {
        // Whoever cannot wait is told the state of the command, which is better than an error.
        log.warn({ err: error }, 'cannot take a waiting place');
        return null;
      }
    },
  };
}

/** The attribute that says for what, and for whom, a place was last taken. */
function holderOf(place: string): string {
  return `${place}_holder`;
}
