/** Changes many devices, in as many requests as necessary. */
import { ask } from '../../api/client.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { type Edit, isMac } from './device.ts';

/** The limits of one request. */
const MAX_EDITED = 1_000;
const MAX_DELETED = 100_000;

export interface EditOutcome {
  updated: number;
  unchanged: number;
  /** Devices that were deleted meanwhile. */
  missing: number;
  /** Those that were not edited, because of the problem or the cancellation. */
  left: readonly string[];
  problem: Problem | null;
}

export interface EditOptions {
  onProgress?: (done: number) => void;
  /** Stops the edit after the request that is pending. */
  signal?: AbortSignal;
}

export async function editDevices(
  site: string,
  keys: readonly string[],
  set: Edit,
  { onProgress, signal }: EditOptions = {},
): Promise<EditOutcome> {
  const outcome: EditOutcome = { updated: 0, unchanged: 0, missing: 0, left: [], problem: null };
  let done = 0;
  for (const part of partsOf(keys, MAX_EDITED)) {
    if (signal?.aborted) return { ...outcome, left: keys.slice(done) };
    try {
      const answer = await ask('PATCH /devices', { site, body: { devices: part, set } });
      outcome.updated += answer.updated;
      outcome.unchanged += answer.unchanged;
      outcome.missing += answer.missing.length;
    } catch (error) {
      return { ...outcome, left: keys.slice(done), problem: problemOf(error) };
    }
    done += part.length;
    onProgress?.(done);
  }
  return outcome;
}

/** How many of these still exist. */
export async function countRemoved(site: string, keys: readonly string[]): Promise<number> {
  const macs = keys.filter(isMac);
  const counts = await Promise.all(
    partsOf(macs, MAX_DELETED).map((part) =>
      ask('DELETE /devices', { site, query: { dryRun: 'true' }, body: { macs: part } }),
    ),
  );
  return counts.reduce((sum, { deleted_count }) => sum + deleted_count, keys.length - macs.length);
}

/** Devices without MAC are deleted one by one. The ids in `changes` restore the deleted devices. */
export async function removeDevices(site: string, keys: readonly string[]) {
  const removal = { deleted: 0, changes: [] as string[], problem: null as Problem | null };
  try {
    for (const macs of partsOf(keys.filter(isMac), MAX_DELETED)) {
      const { deleted_count, change } = await ask('DELETE /devices', { site, body: { macs } });
      removal.deleted += deleted_count;
      if (change !== null) removal.changes.push(change);
    }
    for (const mac of keys.filter((key) => !isMac(key))) {
      const { change } = await ask('DELETE /devices/{mac}', { site, params: { mac } });
      removal.deleted += 1;
      removal.changes.push(change);
    }
  } catch (error) {
    removal.problem = problemOf(error);
  }
  return removal;
}

/**
 * @param macs only these; all without it
 * @returns in `left` the changes that were not reverted because of the problem
 */
export async function restoreDevices(site: string, changes: readonly string[], macs?: string[]) {
  let restored = 0;
  for (const [done, change] of changes.entries()) {
    try {
      restored += (await ask('POST /devices/restore', { site, body: { change, macs } })).restored;
    } catch (error) {
      return { restored, left: changes.slice(done), problem: problemOf(error) };
    }
  }
  return { restored, left: [], problem: null };
}

function partsOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
