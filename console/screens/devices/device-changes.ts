/** Changes many devices, in as many requests as necessary. */
import { ask } from '../../api/client.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { type Edit, isMac } from './device.ts';

/** The limit of one request. */
const MAX_EDITED = 1_000;

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
  for (let done = 0; done < keys.length; done += MAX_EDITED) {
    if (signal?.aborted) return { ...outcome, left: keys.slice(done) };
    try {
      const devices = keys.slice(done, done + MAX_EDITED);
      const answer = await ask('PATCH /devices', { site, body: { devices, set } });
      outcome.updated += answer.updated;
      outcome.unchanged += answer.unchanged;
      outcome.missing += answer.missing.length;
    } catch (error) {
      return { ...outcome, left: keys.slice(done), problem: problemOf(error) };
    }
    onProgress?.(Math.min(done + MAX_EDITED, keys.length));
  }
  return outcome;
}

/** How many of these still exist. */
export async function countRemoved(site: string, keys: readonly string[]): Promise<number> {
  const macs = keys.filter(isMac);
  if (macs.length === 0) return keys.length;
  const { deleted_count } = await ask('DELETE /devices', { site, query: { dryRun: 'true' }, body: { macs } });
  return deleted_count + keys.length - macs.length;
}

/** Devices without MAC are deleted one by one. The ids in `changes` restore the deleted devices. */
export async function removeDevices(site: string, keys: readonly string[]) {
  const removal = { deleted: 0, changes: [] as string[], problem: null as Problem | null };
  try {
    const macs = keys.filter(isMac);
    if (macs.length > 0) {
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
