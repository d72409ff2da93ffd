/** The neighbour table of the kernel: which addresses it has resolved to which MAC, and how fresh that is. */
import * as z from 'zod';
import { jsonItems, listOf } from '../host/json-items.ts';
import { type Evidence, evidenceOf, type ScanContext } from './evidence.ts';
import { askIp } from './watched-networks.ts';

export interface Neighbour extends Evidence {
  /** Such as REACHABLE, STALE, DELAY, PROBE. */
  state: string;
}

/** One without a MAC was asked for, and has not answered. */
const Entries = listOf(
  z.looseObject({
    dst: z.string(),
    lladdr: z.string(),
    state: z.array(z.string()).min(1),
    /** Seconds since the neighbour has proved that it is there. */
    confirmed: z.number().optional().catch(undefined),
  }),
);

/**
 * @param startedAt when the cycle began, by `performance.now()`: what was confirmed since is fresh
 * @throws {ToolFailure} when the program fails that reads them
 */
export async function readNeighbours(
  { run, signal }: ScanContext,
  family: 4 | 6,
  name: string,
  startedAt: number,
): Promise<Neighbour[]> {
  const text = await askIp(run, [`-${family}`, '-json', '-s', 'neigh', 'show', 'dev', name], signal);
  return parseNeighbours(text, (performance.now() - startedAt) / 1000);
}

/** @param ageS how many seconds ago the cycle began */
export function parseNeighbours(text: string, ageS: number): Neighbour[] {
  return Entries.parse(jsonItems(text)).flatMap((entry) => {
    // The kernel rounds down to whole seconds, so that what was confirmed a second before the cycle counts as well.
    // Entries that were never confirmed begin with an age of a minute.
    const fresh = entry.confirmed !== undefined && entry.confirmed < Math.min(ageS, NEVER_CONFIRMED_S);
    const evidence = evidenceOf(entry.dst, entry.lladdr, fresh && KNOWS.has(entry.state[0] ?? ''));
    return evidence === null ? [] : [{ ...evidence, state: entry.state[0] ?? '' }];
  });
}

const NEVER_CONFIRMED_S = 55;
const KNOWS = new Set(['REACHABLE', 'STALE', 'DELAY', 'PROBE']);

/** Whether the entry shows that the device is there. One that is stale shows only that it was there once. */
export function isSign({ state, fresh }: Neighbour): boolean {
  return state === 'REACHABLE' || fresh;
}

/** Whether the kernel is about to find out. */
export function isUndecided({ state }: Neighbour): boolean {
  return state === 'DELAY' || state === 'PROBE';
}
