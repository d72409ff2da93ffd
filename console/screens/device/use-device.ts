/** The device that the screen is about: read with its ETag, and edited. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DeviceEdit } from '../../../shared/api/device-edits.ts';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { askWithEtag, type Tagged } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { type Meanwhile, meanwhile } from './merge-edit.ts';

export type TaggedDevice = Tagged<OneDevice>;

const ROUTE = 'GET /devices/{mac}';
const keyOf = (site: string, key: string) => [ROUTE, site, key, 'with its ETag'] as const;

export function useDevice(site: string, key: string) {
  return useQuery({
    queryKey: keyOf(site, key),
    queryFn: ({ signal }) => askWithEtag(ROUTE, { site, params: { mac: key }, signal }),
    refetchInterval: () => pollAfterMs(POLL_MS.usual),
  });
}

/** What came of an edit: the device as it is now, and what stood in the way; without `conflicts` it was made. */
export interface Edited extends Meanwhile {
  device: TaggedDevice;
}

/** Each time discovery sees the device its ETag changes; an edit is tried again on top of that. */
const MAX_TRIES = 5;

export interface DeviceEditor {
  /**
   * Makes an edit of the device as it was read. When somebody else has set the same fields since, it is not made.
   * @throws {Problem}
   */
  edit(read: TaggedDevice, edit: DeviceEdit): Promise<Edited>;
  /** Makes an edit whatever the device is like now. */
  set(edit: DeviceEdit): Promise<void>;
}

export function useDeviceEditor(site: string, key: string): DeviceEditor {
  const queries = useQueryClient();
  return useMemo(() => openEditor(queries, site, key), [queries, site, key]);
}

function openEditor(queries: QueryClient, site: string, key: string): DeviceEditor {
  const params = { mac: key };
  /** Shown at once; everything else that shows the device is asked for again. */
  function show(device: TaggedDevice): void {
    queries.setQueryData(keyOf(site, key), device);
    void queries.invalidateQueries();
  }

  async function patch(edit: DeviceEdit, etag: string | null): Promise<TaggedDevice> {
    const condition = etag === null ? {} : { ifMatch: etag };
    const device = await askWithEtag('PATCH /devices/{mac}', { site, params, body: edit, ...condition });
    show(device);
    return device;
  }

  return {
    async edit(read, edit) {
      let known = read;
      for (let tries = 1; ; tries++) {
        try {
          const device = await patch(edit, known.etag);
          return { device, ...meanwhile(read.answer, known.answer, edit), conflicts: [] };
        } catch (error) {
          if (problemOf(error).code !== 'precondition_failed' || tries === MAX_TRIES) throw error;
          known = await askWithEtag(ROUTE, { site, params });
          const found = meanwhile(read.answer, known.answer, edit);
          if (found.conflicts.length === 0) continue;
          show(known);
          return { device: known, ...found };
        }
      }
    },
    async set(edit) {
      await patch(edit, null);
    },
  };
}
