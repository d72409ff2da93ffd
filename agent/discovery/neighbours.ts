/** The neighbour table of the kernel: which addresses resolve to which MAC, and how fresh that is. */
import * as z from 'zod';
import { jsonItems, listOf } from '../host/json-items.ts';
import { type Evidence, evidenceOf, type ScanContext } from './evidence.ts';
import { runIp } from './watched-networks.ts';

export interface Neighbour extends Evidence {
  /** Such as REACHABLE, STALE, DELAY, PROBE. */
  state: string;
}

/** Entries without a MAC did not answer, and are left out. */
const Entries = listOf(
  z.looseObject({
    dst: z.string(),
    lladdr: z.string(),
    state: z.array(z.string()).min(1),
    /** Seconds since the last confirmation of reachability. */
    confirmed: z.number().optional().catch(undefined),
  }),
);

/** @param startedAt by `performance.now()`: later confirmations are fresh @throws {ToolFailure} when `ip` fails */
export async function readNeighbours({ run, signal }: ScanContext, family: 4 | 6, name: string, startedAt: number) {
  const text = await runIp(run, [`-${family}`, '-json', '-s', 'neigh', 'show', 'dev', name], signal);
  return parseNeighbours(text, (performance.now() - startedAt) / 1000);
}

/** @param ageS how many seconds ago the cycle began */
export function parseNeighbours(text: string, ageS: number): Neighbour[] {
  return Entries.parse(jsonItems(text)).flatMap((entry) => {
    // The kernel rounds down to whole seconds, so a confirmation in the second before the cycle counts as well.
    // Never confirmed entries begin with an age of a minute.
    const fresh = entry.confirmed !== undefined && entry.confirmed < Math.min(ageS, NEVER_CONFIRMED_S);
    const evidence = evidenceOf(entry.dst, entry.lladdr, fresh && KNOWS.has(entry.state[0] ?? ''));
    return evidence === null ? [] : [{ ...evidence, state: entry.state[0] ?? '' }];
  });
}

const NEVER_CONFIRMED_S = 55;
const KNOWS = new Set(['REACHABLE', 'STALE', 'DELAY', 'PROBE']);

/** Whether the entry shows that the device is online. A stale one shows only that it once was. */
export function isSign({ state, fresh }: Neighbour): boolean {
  return state === 'REACHABLE' || fresh;
}

/** Whether the kernel is still probing. */
export function isUndecided({ state }: Neighbour): boolean {
  return state === 'DELAY' || state === 'PROBE';
}
