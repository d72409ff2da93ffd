/** The devices of a large site: filtered and sorted by the API, and loaded page by page. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { ask } from '../../api/client.ts';
import { POLL_MS } from '../../api/queries.ts';
import type { Device } from './device.ts';
import type { DeviceSource } from './device-source.ts';
import { type PendingEdit, withEdits } from './pending-edits.ts';
import { type DeviceView, listQuery } from './view.ts';

const PAGE = 500;
/** For all keys. The API gives no larger pages. */
const LARGE_PAGE = 10_000;
/** With more pages than this the list is not polled any more: every page is a request of its own. */
const MAX_POLLED_PAGES = 10;

type Asked = ReturnType<typeof listQuery>;

async function page(site: string, query: Asked, limit: number, cursor: string, signal?: AbortSignal) {
  const answer = await ask('GET /devices', {
    site,
    query: { ...query, fields: 'all', limit, ...(cursor === '' ? {} : { cursor }) },
    ...(signal === undefined ? {} : { signal }),
  });
  const { total = 0, nextCursor = null } = answer;
  return { devices: answer.devices as Device[], total, nextCursor }; // With `fields=all`, no row is a summary.
}

export function usePagedCollection(
  site: string,
  view: DeviceView,
  edits: readonly PendingEdit[],
  when: boolean,
): DeviceSource {
  const query = listQuery(view);
  const list = useInfiniteQuery({
    queryKey: ['GET /devices', site, 'pages', query],
    queryFn: ({ pageParam, signal }) => page(site, query, PAGE, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: when,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > MAX_POLLED_PAGES ? false : POLL_MS.usual),
    placeholderData: keepPreviousData,
  });
  const { data } = list;
  const loaded = useMemo(() => data?.pages.flatMap(({ devices }) => devices) ?? [], [data]);
  const rows = useMemo(() => withEdits(loaded, edits), [loaded, edits]);
  const byKey = useMemo(() => new Map(rows.map((device) => [device.key, device])), [rows]);
  const find = useCallback((key: string) => byKey.get(key), [byKey]);
  const keysOf = useCallback(
    async (asked: DeviceView) => {
      const keys: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { devices, nextCursor }: Awaited<ReturnType<typeof page>> = await page(
          site,
          listQuery({ ...asked, sort: 'mac' }),
          LARGE_PAGE,
          cursor,
        );
        for (const { key } of devices) keys.push(key);
        cursor = nextCursor;
      }
      return keys;
    },
    [site],
  );
  return {
    rows,
    total: data?.pages[0]?.total ?? 0,
    hasMore: list.hasNextPage,
    loadMore: () => {
      if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
    },
    isLoading: data === undefined,
    isOutdated: list.isPlaceholderData,
    isWhole: false,
    error: data === undefined ? list.error : null,
    retry: () => void list.refetch(),
    find,
    keysOf,
  };
}
