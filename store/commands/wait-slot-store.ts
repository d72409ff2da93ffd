/**
 * Slots for calls that wait, shared by all instances of all functions: a row with a lease for each slot, so that neither
 * its size nor the calls for it grow with their number. The lease of an instance that is gone runs out by itself, so
 * nothing has to be cleaned up.
 */

import type { Log } from '../../shared/log.ts';
import { type Condition, IS_NEW } from '../condition.ts';
import { PREFIXES, rows } from '../rows.ts';
import type { Table } from '../table.ts';
import { listItems } from '../table.ts';
import { slotsFor, slotsForEach, type WaitKind, type WaitSlots } from './wait-slots.ts';

/** What the clocks of two instances may differ by, and what a call may take to answer when its wait is over. */
const LEASE_MARGIN_MS = 5_000;
/** Slots that are tried, at random: all of a few, and of many as many as say that nearly all are taken. */
const ATTEMPTS = 8;

/** @param slots how many there are; rows of an earlier setting with more are ignored */
export function openWaitSlots(table: Table, slots: number, now: () => Date, log: Log): WaitSlots {
  const all = Array.from({ length: slots }, (_, slot) => slot);
  const streamSlots = all.slice(0, slotsFor('stream', slots));
  const callSlots = all.slice(streamSlots.length);

  /** The slots that are tried, in order. Calls begin with those that streams may not use. */
  async function candidates(kind: WaitKind, holder: string): Promise<number[]> {
    if (kind === 'call') return [...shuffled(callSlots).slice(0, ATTEMPTS / 2), ...shuffled(streamSlots)];
    // A stream lasts for minutes, so that one look at the leases of all is cheap; and a holder may have only some.
    const taken = new Map<string, unknown>();
    for (const { sk, lease, holder: by } of await listItems(table, rows.waitSlot(0).pk, PREFIXES.waitSlot)) {
      if (Number(lease) >= now().getTime()) taken.set(sk, by);
    }
    const held = [...taken.values()].filter((by) => by === nameOf(kind, holder)).length;
    if (held >= slotsForEach(kind, slots)) return [];
    return shuffled(streamSlots.filter((slot) => !taken.has(rows.waitSlot(slot).sk)));
  }

  function takeOne(slot: number, lease: number, holder: string): Promise<boolean> {
    const isFree: Condition = { any: [IS_NEW, { less: { lease: now().getTime() } }] };
    return table.update(rows.waitSlot(slot), { set: { lease, holder } }, isFree);
  }

  async function release(slot: number, lease: number): Promise<void> {
    await table.update(rows.waitSlot(slot), { set: { lease: 0 } }, { equals: { lease } });
  }

  return {
    async take(kind, until, holder) {
      const lease = until + LEASE_MARGIN_MS;
      try {
        for (const slot of (await candidates(kind, holder)).slice(0, ATTEMPTS)) {
          if (!(await takeOne(slot, lease, nameOf(kind, holder)))) continue;
          return () =>
            release(slot, lease).catch((error) => log.warn({ err: error }, 'cannot give a waiting slot back'));
        }
      } catch (error) {
        // Whoever cannot wait is told the state of the command, which is better than an error.
        log.warn({ err: error }, 'cannot take a waiting slot');
      }
      return null;
    },
  };
}

/** A holder's streams and calls are counted apart. */
function nameOf(kind: WaitKind, holder: string): string {
  return `${kind} ${holder}`;
}

function shuffled(slots: readonly number[]): number[] {
  return slots
    .map((slot) => ({ slot, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ slot }) => slot);
}
