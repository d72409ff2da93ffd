/** All devices of the site, loaded once, kept fresh by their ETag, and filtered and sorted here. */
import { useCallback, useDeferredValue, useMemo } from 'react';
import { useAnswer } from '../../api/queries.ts';
import type { Device } from './device.ts';
import { type DeviceSource, WHOLE } from './device-source.ts';
import { filterDevices } from './filter-devices.ts';
import { type PendingEdit, withEdits } from './pending-edits.ts';
import { sortDevices } from './sort-devices.ts';
import type { DeviceView } from './view.ts';

const NONE: readonly Device[] = [];

export function useWholeCollection(
  site: string,
  wanted: DeviceView,
  edits: readonly PendingEdit[],
  when: boolean,
): DeviceSource {
  const answer = useAnswer('GET /devices', { site, query: WHOLE }, { when });
  // The rows follow what is typed when there is time.
  const view = useDeferredValue(wanted);
  const loaded = (answer.data?.devices ?? NONE) as readonly Device[]; // With `fields=all`, no row is a summary.
  const devices = useMemo(() => withEdits(loaded, edits), [loaded, edits]);
  const sorted = useMemo(() => sortDevices(devices, view.sort), [devices, view.sort]);
  const { status, text, type, group, vendor, watch } = view;
  const rows = useMemo(
    () => filterDevices(sorted, { status, text, type, group, vendor, watch }),
    [sorted, status, text, type, group, vendor, watch],
  );
  const byKey = useMemo(() => new Map(devices.map((device) => [device.key, device])), [devices]);
  const find = useCallback((key: string) => byKey.get(key), [byKey]);
  const keysOf = useCallback(
    async (asked: DeviceView) => filterDevices(devices, asked).map(({ key }) => key),
    [devices],
  );
  return {
    rows,
    total: rows.length,
    hasMore: false,
    loadMore: () => undefined,
    isLoading: answer.data === undefined,
    isOutdated: false,
    isWhole: true,
    error: answer.error,
    retry: () => void answer.refetch(),
    find,
    keysOf,
  };
}
