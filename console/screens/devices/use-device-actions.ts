/** Actions on many devices at once, and the messages about their results. Dialogs ask for the rest. */
import common from 'messages:common';
import texts from 'messages:devices';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import type { Device, Edit } from './device.ts';
import { type EditOptions, type EditOutcome, editDevices, removeDevices, restoreDevices } from './device-changes.ts';
import { leavesView, toggledFlag } from './edit-in-view.ts';
import { type DeviceList, type DevicePage, devicesOf, keysOf } from './use-device-list.ts';
import type { Grid } from './use-grid.ts';
import type { DeviceView } from './view.ts';

export type DeviceActions = ReturnType<typeof useDeviceActions>;
type CountText = (values: { count: number }) => string;
type Pages = InfiniteData<DevicePage>;

/** @param shown the rows of the grid */
export function useDeviceActions(
  site: string,
  list: DeviceList,
  shown: readonly Device[],
  grid: Grid,
  view: DeviceView,
) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(0);
  const refresh = () =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [kind, of, question] }) =>
        of === site || (kind === 'pages' && (question as { site?: string }).site === site),
    });

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

  /** Shows the edit at once; devices that the API does not edit are restored. */
  async function edit(keys: readonly string[], set: Edit, options?: EditOptions): Promise<EditOutcome> {
    const queryKey = ['GET /devices', site, 'pages'];
    await queries.cancelQueries({ queryKey });
    const before = queries.getQueriesData<Pages>({ queryKey });
    queries.setQueriesData<Pages>({ queryKey }, (data) => data && withEdit(data, new Set(keys), set));
    const outcome = await editDevices(site, keys, set, options);
    if (outcome.left.length > 0) for (const [key, data] of before) queries.setQueryData(key, data);
    if (leavesView(set, view)) grid.unselect(keys.slice(0, keys.length - outcome.left.length));
    await refresh();
    return outcome;
  }

  /** @param done the message of success; none where the rows show it */
  function report({ updated, missing, problem, left }: EditOutcome, done?: CountText, undo?: () => void): void {
    const isCancelled = problem === null && left.length > 0;
    if (done !== undefined && (updated > 0 || isCancelled)) {
      showToast(done({ count: updated }), undo === undefined ? null : { label: common.undo, run: undo });
    }
    if (missing > 0) showToast(texts.missing({ count: missing }));
    if (problem === null) return;
    if (updated > 0) showToast(texts.editedPartly({ done: updated, left: left.length }));
    showProblem(problem);
  }

  const editAndReport = (keys: readonly string[], set: Edit, done?: CountText, undo?: () => void) =>
    void during(async () => {
      if (keys.length > 0) report(await edit(keys, set), done, undo);
    });

  const restore = (ids: readonly string[], macs?: string[]): Promise<void> =>
    during(async () => {
      const { restored, left, problem } = await restoreDevices(site, ids, macs);
      await refresh();
      if (problem !== null) showProblem(problem);
      const again = { label: common.tryAgain, run: () => void restore(left, macs) };
      showToast(texts.restored({ count: restored }), left.length === 0 ? null : again);
    });

  return {
    isBusy: busy > 0,
    edit,
    report,
    restore,
    /** The selected devices, or the one that has the focus. */
    chosen(): readonly string[] {
      if (grid.selected.size > 0) return [...grid.selected];
      const device = shown[grid.active];
      return device === undefined ? [] : [device.key];
    },
    selectAll: () => void during(async () => grid.select(await keysOf(site, view))),
    /** @param set the changed fields. A new device that gets a name is known. */
    save(key: string, set: Edit) {
      const isNamed = set.devName !== undefined && list.find(key)?.devIsNew === 1;
      if (Object.keys(set).length > 0) editAndReport([key], isNamed ? { ...set, devIsNew: 0 } : set);
    },
    favourite: (keys: readonly string[]) =>
      editAndReport(keys, { devFavorite: toggledFlag(keys, 'devFavorite', list.find, view.status) }),
    archive(keys: readonly string[]) {
      const devIsArchived = toggledFlag(keys, 'devIsArchived', list.find, view.status);
      const changed = keys.filter((key) => list.find(key)?.devIsArchived !== devIsArchived);
      const undo = () => editAndReport(changed, { devIsArchived: devIsArchived === 1 ? 0 : 1 }, texts.edited);
      editAndReport(changed, { devIsArchived }, devIsArchived === 1 ? texts.archived : texts.unarchived, undo);
    },
    acknowledge: (keys: readonly string[]) => editAndReport(keys, { devIsNew: 0 }, texts.acknowledged),
    acknowledgeAll: () =>
      void during(async () => {
        const body = { match: { status: 'new' }, set: { devIsNew: 0 } } as const;
        const { updated } = await ask('PATCH /devices', { site, body });
        await refresh();
        showToast(texts.acknowledged({ count: updated }));
      }),
    remove: (keys: readonly string[]) =>
      during(async () => {
        const { deleted, changes, problem } = await removeDevices(site, keys);
        await refresh();
        const undo = { label: common.undo, run: () => void restore(changes) };
        if (deleted > 0) showToast(texts.deleted({ count: deleted }), undo);
        if (problem !== null) showProblem(problem);
      }),
  };
}

function withEdit(data: Pages, keys: ReadonlySet<string>, set: Edit): Pages {
  const pages = data.pages.map((page) => ({
    ...page,
    devices: devicesOf(page).map((device) => (keys.has(device.key) ? { ...device, ...set } : device)),
  }));
  return { ...data, pages };
}
