/** The devices of a site, by way of the source that fits their number, and how many there are of each kind. */
import { useMemo } from 'react';
import type { CategoryCounts } from '../../../shared/device.ts';
import { useAnswer } from '../../api/queries.ts';
import type { DeviceSource } from './device-source.ts';
import type { PendingEdit } from './pending-edits.ts';
import { usePagedCollection } from './use-paged-collection.ts';
import { useWholeCollection } from './use-whole-collection.ts';
import type { DeviceView } from './view.ts';

/** Up to so many devices are loaded at once. Above it, a search in the browser takes longer than one by the API. */
const MAX_WHOLE = 20_000;

export interface Devices extends DeviceSource {
  /** Null until they are known. */
  counts: CategoryCounts | null;
  /** Devices of the site, archived ones included. */
  size: number | null;
}

/**
 * @param view as the address has it, which follows what is typed after a pause
 * @param typed the text that is typed at the moment
 */
export function useDevices(site: string, view: DeviceView, typed: string, edits: readonly PendingEdit[]): Devices {
  const totals = useAnswer('GET /devices/totals', { site });
  const size = totals.data === undefined ? null : totals.data[0] + totals.data[5];
  const isWhole = size !== null && size <= MAX_WHOLE;
  const { status, type, group, vendor, watch, sort } = view;
  const asTyped = useMemo(
    () => ({ status, text: typed, type, group, vendor, watch, sort }),
    [status, typed, type, group, vendor, watch, sort],
  );
  const whole = useWholeCollection(site, asTyped, edits, isWhole);
  const paged = usePagedCollection(site, view, edits, size !== null && !isWhole);
  const counts = totals.data === undefined ? null : countsOf(totals.data);
  if (size === null) {
    return { ...whole, isLoading: true, error: totals.error, retry: () => void totals.refetch(), counts, size };
  }
  return { ...(isWhole ? whole : paged), counts, size };
}

function countsOf(totals: readonly [number, number, number, number, number, number]): CategoryCounts {
  const [my, online, favorites, isNew, down, archived] = totals;
  return { my, online, offline: my - online, down, new: isNew, favorites, archived };
}
