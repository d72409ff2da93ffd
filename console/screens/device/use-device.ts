/** The device that the screen is about: read, and edited. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { ask, etagOf } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { keyOf, useAnswer } from '../../api/queries.ts';
import { type Meanwhile, meanwhile } from './merge-edit.ts';

const ROUTE = 'GET /devices/{mac}';

export function useDevice(site: string, key: string) {
  return useAnswer(ROUTE, { site, params: { mac: key } });
}

/** What came of an edit: the device as it is now, and what stood in the way; without `conflicts` it was made. */
export interface Edited extends Meanwhile {
  device: OneDevice;
}

/** Each time discovery sees the device its ETag changes; an edit is tried again on top of that. */
const MAX_TRIES = 5;

interface DeviceEditor {
  /**
   * Makes an edit of the device as it was read. When somebody else has set the same fields since, it is not made.
   * @throws {Problem}
   */
  edit(read: OneDevice, edit: DeviceEdit): Promise<Edited>;
  /** Makes an edit whatever the device is like now. */
  set(edit: DeviceEdit): Promise<void>;
}

export function useDeviceEditor(site: string, key: string): DeviceEditor {
  const queries = useQueryClient();
  return useMemo(() => openEditor(queries, site, key), [queries, site, key]);
}

function openEditor(queries: QueryClient, site: string, key: string): DeviceEditor {
  const question = { site, params: { mac: key } };
  /** Shown at once; everything else that shows the device is asked for again. */
  function show(device: OneDevice): void {
    queries.setQueryData(keyOf(ROUTE, question), device);
    void queries.invalidateQueries();
  }

  async function patch(edit: DeviceEdit, etag: string | undefined): Promise<OneDevice> {
    const condition = etag === undefined ? {} : { ifMatch: etag };
    const device = await ask('PATCH /devices/{mac}', { ...question, body: edit, ...condition });
    show(device);
    return device;
  }

  return {
    async edit(read, edit) {
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
    async set(edit) {
      await patch(edit, undefined);
    },
  };
}
