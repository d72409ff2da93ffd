/** Reads and edits the device of the screen. */
import { useQueryClient } from '@tanstack/react-query';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { ask, etagOf } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { keyOf, useAnswer } from '../../api/queries.ts';
import { showProblem } from '../../ui/toast.tsx';
import { type Meanwhile, meanwhile } from './merge-edit.ts';

const ROUTE = 'GET /devices/{mac}';

export function useDevice(site: string, key: string) {
  return useAnswer(ROUTE, { site, params: { mac: key } });
}

/** The result of an edit, with the device as it is now; with `conflicts` nothing was changed. */
export interface Edited extends Meanwhile {
  device: OneDevice;
}

/** The ETag changes each time discovery sees the device; the edit is then retried on top of that. */
const MAX_TRIES = 5;

export type DeviceEditor = ReturnType<typeof useDeviceEditor>;

export function useDeviceEditor(site: string, key: string) {
  const queries = useQueryClient();
  const question = { site, params: { mac: key } };
  function show(device: OneDevice): void {
    queries.setQueryData(keyOf(ROUTE, question), device);
    void queries.invalidateQueries();
  }

  async function patch(edit: DeviceEdit, etag?: string): Promise<OneDevice> {
    const condition = etag === undefined ? {} : { ifMatch: etag };
    const device = await ask('PATCH /devices/{mac}', { ...question, body: edit, ...condition });
    show(device);
    return device;
  }

  return {
    /**
     * Edits the device as it was read; another person's edit of the same fields since then prevents it.
     * @throws {Problem}
     */
    async edit(read: OneDevice, edit: DeviceEdit): Promise<Edited> {
      let known = read;
      for (let tries = 1; ; tries++) {
        try {
          const device = await patch(edit, etagOf(known));
          return { device, ...meanwhile(read, known, edit), conflicts: [] };
        } catch (error) {
          if (problemOf(error).code !== 'precondition_failed' || tries === MAX_TRIES) throw error;
          known = await ask(ROUTE, question);
          const found = meanwhile(read, known, edit);
          if (found.conflicts.length === 0) continue;
          show(known);
          return { device: known, ...found };
        }
      }
    },
    /** Edits the device unconditionally. */
    set: (edit: DeviceEdit) => void patch(edit).catch(showProblem),
  };
}
