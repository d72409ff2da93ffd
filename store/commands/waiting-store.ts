/**
 * Places for calls that wait, shared by all instances of all functions: a row with a lease for each place, so that neither
 * its size nor the calls for it grow with their number. The lease of an instance that is gone runs out by itself, so
 * nothing has to be cleaned up.
 */

import type { Log } from '../../shared/log.ts';
import { type Condition, IS_NEW } from '../condition.ts';
import { PREFIXES, rows } from '../rows.ts';
import type { Table } from '../table.ts';
import { listItems } from '../table.ts';
import { placesFor, placesForEach, type WaitingKind, type WaitingPlaces } from './waiting-places.ts';

/** What the clocks of two instances may differ by, and what a call may take to answer when its wait is over. */
const LEASE_MARGIN_MS = 5_000;
/** Places that are tried, at random: all of a few, and of many as many as say that nearly all are taken. */
const ATTEMPTS = 8;

/** @param places how many there are; rows of an earlier setting with more are ignored */
export function openWaitingPlaces(table: Table, places: number, now: () => Date, log: Log): WaitingPlaces {
  const all = Array.from({ length: places }, (_, place) => place);
  const streamPlaces = all.slice(0, placesFor('stream', places));
  const callPlaces = all.slice(streamPlaces.length);

  /** The places that are tried, in order. Calls begin with those that streams may not use. */
  async function candidates(kind: WaitingKind, holder: string): Promise<number[]> {
    if (kind === 'call') return [...shuffled(callPlaces).slice(0, ATTEMPTS / 2), ...shuffled(streamPlaces)];
    // A stream lasts for minutes, so that one look at the leases of all is cheap; and a holder may have only some.
    const taken = new Map<string, unknown>();
    for (const { sk, lease, holder: by } of await listItems(table, rows.waitingPlace(0).pk, PREFIXES.waitingPlace)) {
      if (Number(lease) >= now().getTime()) taken.set(sk, by);
    }
    const held = [...taken.values()].filter((by) => by === nameOf(kind, holder)).length;
    if (held >= placesForEach(kind, places)) return [];
    return shuffled(streamPlaces.filter((place) => !taken.has(rows.waitingPlace(place).sk)));
  }

  function takeOne(place: number, lease: number, holder: string): Promise<boolean> {
    const isFree: Condition = { any: [IS_NEW, { less: { lease: now().getTime() } }] };
    return table.update(rows.waitingPlace(place), { set: { lease, holder } }, isFree);
  }

  async function release(place: number, lease: number): Promise<void> {
    await table.update(rows.waitingPlace(place), { set: { lease: 0 } }, { equals: { lease } });
  }

  return {
    async take(kind, until, holder) {
      const lease = until + LEASE_MARGIN_MS;
      try {
        for (const place of (await candidates(kind, holder)).slice(0, ATTEMPTS)) {
          if (!(await takeOne(place, lease, nameOf(kind, holder)))) continue;
          return () =>
            release(place, lease).catch((error) => log.warn({ err: error }, 'cannot give a waiting place back'));
        }
      } catch (error) {
        // Whoever cannot wait is told the state of the command, which is better than an error.
        log.warn({ err: error }, 'cannot take a waiting place');
      }
      return null;
    },
  };
}

/** A holder's streams and calls are counted apart. */
function nameOf(kind: WaitingKind, holder: string): string {
  return `${kind} ${holder}`;
}

function shuffled(places: readonly number[]): number[] {
  return places
    .map((place) => ({ place, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ place }) => place);
}
