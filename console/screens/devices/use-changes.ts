/** What the screen changes: edits, shown at once; deletions, and how they are taken back. */
import { useQueryClient } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { hasMac } from './device.ts';
import { partsOf } from './parts.ts';
import type { Edit, PendingEdits } from './pending-edits.ts';

/** Most devices in one edit. */
const MAX_EDITED = 1_000;
/** Most MAC addresses in one deletion. */
const MAX_DELETED = 100_000;

export interface EditOutcome {
  updated: number;
  unchanged: number;
  /** Devices that are not there any more. */
  missing: number;
  /** Those that were not edited, because of the problem or because it was cancelled. */
  left: readonly string[];
  problem: Problem | null;
}

export interface Removal {
  deleted: number;
  /** What was deleted is restored by these. */
  changes: readonly string[];
  problem: Problem | null;
}

export interface Restoration {
  restored: number;
  /** The changes that were not taken back because of the problem. */
  left: readonly string[];
  problem: Problem | null;
}

interface EditOptions {
  /** Is told how many are done. */
  onProgress?: (done: number) => void;
  /** Ends the edit after the part that is under way. */
  signal?: AbortSignal;
}

export interface Changes {
  edit: (keys: readonly string[], set: Edit, options?: EditOptions) => Promise<EditOutcome>;
  /** How many of these there are to delete. */
  countRemoved: (keys: readonly string[]) => Promise<number>;
  remove: (keys: readonly string[]) => Promise<Removal>;
  restore: (changes: readonly string[]) => Promise<Restoration>;
}

/** @param onEdited is told which devices have been edited, before they are asked for again */
export function useChanges(
  site: string,
  pending: PendingEdits,
  onEdited: (keys: readonly string[], set: Edit) => void,
): Changes {
  const queries = useQueryClient();
  const { add, drop } = pending;
  const refresh = () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === site });
  return {
    async edit(keys, set, options) {
      const shown = { keys: new Set(keys), set };
      add(shown);
      const outcome = await editInParts(site, keys, set, options);
      onEdited(keys.slice(0, keys.length - outcome.left.length), set);
      await refresh();
      drop(shown);
      return outcome;
    },
    async countRemoved(keys) {
      const macs = keys.filter(hasMac);
      const counts = await Promise.all(
        partsOf(macs, MAX_DELETED).map((part) =>
          ask('DELETE /devices', { site, query: { dryRun: 'true' }, body: { macs: part } }),
        ),
      );
      return counts.reduce((sum, { deleted_count }) => sum + deleted_count, keys.length - macs.length);
    },
    async remove(keys) {
      const removal = await removeAll(site, keys);
      await refresh();
      return removal;
    },
    async restore(changes) {
      const restoration = await restoreAll(site, changes);
      await refresh();
      return restoration;
    },
  };
}

async function editInParts(
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

/** Devices without MAC are deleted one by one, each in a change of its own. */
async function removeAll(site: string, keys: readonly string[]): Promise<Removal> {
  const changes: string[] = [];
  let deleted = 0;
  try {
    for (const macs of partsOf(keys.filter(hasMac), MAX_DELETED)) {
      const answer = await ask('DELETE /devices', { site, body: { macs } });
      deleted += answer.deleted_count;
      if (answer.change !== null) changes.push(answer.change);
    }
    for (const mac of keys.filter((key) => !hasMac(key))) {
      const { change } = await ask('DELETE /devices/{mac}', { site, params: { mac } });
      deleted += 1;
      changes.push(change);
    }
  } catch (error) {
    return { deleted, changes, problem: problemOf(error) };
  }
  return { deleted, changes, problem: null };
}

async function restoreAll(site: string, changes: readonly string[]): Promise<Restoration> {
  let restored = 0;
  for (const [done, change] of changes.entries()) {
    try {
      restored += (await ask('POST /devices/restore', { site, body: { change } })).restored;
    } catch (error) {
      return { restored, left: changes.slice(done), problem: problemOf(error) };
    }
  }
  return { restored, left: [], problem: null };
}
