/** What is done to devices at once, and what the person is told of it. Dialogs ask for the rest. */
import { useState } from 'react';
import { common } from '../../text/texts.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import type { DeviceSource } from './device-source.ts';
import type { Draft } from './draft.ts';
import { toggledFlag } from './edit-in-view.ts';
import type { Edit } from './pending-edits.ts';
import { texts } from './texts.ts';
import type { Changes, EditOutcome } from './use-changes.ts';
import { type DeviceView, NO_FILTER } from './view.ts';

export interface Actions {
  isBusy: boolean;
  /** @param set the fields that were changed */
  save: (key: string, set: Partial<Draft>) => void;
  favourite: (keys: readonly string[]) => void;
  archive: (keys: readonly string[]) => void;
  acknowledge: (keys: readonly string[]) => void;
  acknowledgeAll: () => void;
  remove: (keys: readonly string[]) => Promise<void>;
  restore: (changes: readonly string[]) => void;
  tell: (outcome: EditOutcome, said: (count: number) => string) => void;
}

export function useActions(devices: DeviceSource, changes: Changes, { status }: DeviceView): Actions {
  const [busy, setBusy] = useState(0);
  const during = async (act: () => Promise<void>) => {
    setBusy((before) => before + 1);
    try {
      await act();
    } catch (error) {
      showProblem(error);
    } finally {
      setBusy((before) => before - 1);
    }
  };
  const edit = (keys: readonly string[], set: Edit, said: (count: number) => string) =>
    during(async () => {
      if (keys.length > 0) tell(await changes.edit(keys, set), said);
    });
  const restore = (ids: readonly string[]): Promise<void> =>
    during(async () => {
      const { restored, left, problem } = await changes.restore(ids);
      if (problem !== null) showProblem(problem);
      const again = { label: common.tryAgain, run: () => void restore(left) };
      showToast(texts.restored(restored), left.length === 0 ? null : again);
    });

  return {
    isBusy: busy > 0,
    tell,
    save(key, set) {
      if (Object.keys(set).length > 0) void edit([key], set, () => '');
    },
    favourite(keys) {
      const devFavorite = toggledFlag(keys, 'devFavorite', devices.find, status);
      void edit(keys, { devFavorite }, () => '');
    },
    archive(keys) {
      const devIsArchived = toggledFlag(keys, 'devIsArchived', devices.find, status);
      const changed = keys.filter((key) => devices.find(key)?.devIsArchived !== devIsArchived);
      const said = devIsArchived === 1 ? texts.archived : texts.unarchived;
      void during(async () => {
        const outcome = await changes.edit(changed, { devIsArchived });
        const undo = () => void edit(changed, { devIsArchived: devIsArchived === 1 ? 0 : 1 }, texts.edited);
        tell(outcome, said, undo);
      });
    },
    acknowledge(keys) {
      void edit(keys, { devIsNew: 0 }, texts.acknowledged);
    },
    acknowledgeAll() {
      void during(async () => {
        const keys = await devices.keysOf({ ...NO_FILTER, status: 'new', sort: 'mac' });
        tell(await changes.edit(keys, { devIsNew: 0 }), texts.acknowledged);
      });
    },
    async remove(keys) {
      await during(async () => {
        const { deleted, changes: ids, problem } = await changes.remove(keys);
        const undo = { label: common.undo, run: () => void restore(ids) };
        if (deleted > 0) showToast(texts.deleted(deleted), undo);
        if (problem !== null) showProblem(problem);
      });
    },
    restore: (ids) => void restore(ids),
  };
}

/** @param said what to say of so many; empty: nothing, because it is seen anyway */
function tell(
  { updated, missing, problem, left }: EditOutcome,
  said: (count: number) => string,
  undo: (() => void) | null = null,
): void {
  const isCancelled = problem === null && left.length > 0;
  if ((updated > 0 || isCancelled) && said(updated) !== '') {
    showToast(said(updated), undo === null ? null : { label: common.undo, run: undo });
  }
  if (missing > 0) showToast(texts.missing(missing));
  if (problem === null) return;
  if (updated > 0) showToast(texts.editedPartly(updated, left.length));
  showProblem(problem);
}
