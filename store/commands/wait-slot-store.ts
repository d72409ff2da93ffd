/**
 * Slots for calls that wait, shared by all instances of all functions: a row with a lease for each slot, so that neither
 * its size nor the calls for it grow with their number. The lease of an instance that is gone runs out by itself, so
 * nothing has to be cleaned up.
 */
import type { Log } from '../../shared/log.ts';
import type { Holder } from '../../shared/turns.ts';
import { type Condition, IS_NEW } from '../condition.ts';
import { PREFIXES, rows } from '../rows.ts';
import type { Table } from '../table.ts';
import { listItems } from '../table.ts';
import { mayTakeSlot, slotsFor, type TakenSlot, type WaitKind, type WaitSlots } from './wait-slots.ts';

/** What the clocks of two instances may differ by, and what a call may take to answer when its wait is over. */
const LEASE_MARGIN_MS = 5_000;
/** Slots that are tried, at random: others take some of them at the same time. */
const ATTEMPTS = 8;

/** @param slots how many there are; rows of an earlier setting with more are ignored */
export function openWaitSlots(table: Table, slots: number, now: () => Date, log: Log): WaitSlots {
  const all = Array.from({ length: slots }, (_, slot) => slot);
  const streamSlots = all.slice(0, slotsFor('stream', slots));
  const callSlots = all.slice(streamSlots.length);

  /** The slots that are tried, in order. Calls begin with those that streams may not use. */
  async function candidates(kind: WaitKind, holder: Holder): Promise<number[]> {
    const taken = new Map<string, TakenSlot>();
    for (const { sk, lease, holder: by } of await listItems(table, rows.waitSlot(0).pk, PREFIXES.waitSlot)) {
      if (Number(lease) >= now().getTime()) taken.set(sk, slotNamed(String(by)));
    }
    if (!mayTakeSlot({ kind, holder }, [...taken.values()], slots)) return [];
    const free = (some: readonly number[]) => shuffled(some.filter((slot) => !taken.has(rows.waitSlot(slot).sk)));
    return [...(kind === 'call' ? free(callSlots) : []), ...free(streamSlots)];
  }

  function takeOne(slot: number, lease: number, name: string): Promise<boolean> {
    const isFree: Condition = { any: [IS_NEW, { less: { lease: now().getTime() } }] };
    return table.update(rows.waitSlot(slot), { set: { lease, holder: name } }, isFree);
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

/** As it stands in the row. */
function nameOf(kind: WaitKind, { site, user }: Holder): string {
  return `${kind} ${user} ${site}`;
}

function slotNamed(name: string): TakenSlot {
  const [kind, user = '', site = ''] = name.split(' ');
  return { kind: kind === 'stream' ? kind : 'call', holder: { site, user } };
}

function shuffled(slots: readonly number[]): number[] {
  return slots
    .map((slot) => ({ slot, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ slot }) => slot);
}
