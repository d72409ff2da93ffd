/** The devices of a large site: filtered and sorted by the API, and loaded page by page. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { ask } from '../../api/client.ts';
import { POLL_MS } from '../../api/queries.ts';
import type { Device } from './device.ts';
import type { DeviceSource } from './device-source.ts';
import { LARGE_PAGE, nextLimit, PAGE } from './page-size.ts';
import { type PendingEdit, withEdits } from './pending-edits.ts';
import { type DeviceView, listQuery } from './view.ts';

/**
 * With more pages than this, which are 4,000 devices, the list is asked for again only after a change: every page is a
 * request of its own.
 */
const MAX_POLLED_PAGES = 4;

interface PageParam {
  cursor: string;
  limit: number;
}

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

function isPolled(data: { pages: readonly unknown[] } | undefined): boolean {
  return (data?.pages.length ?? 0) <= MAX_POLLED_PAGES;
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
    queryFn: ({ pageParam: { limit, cursor }, signal }) => page(site, query, limit, cursor, signal),
    initialPageParam: { cursor: '', limit: PAGE } satisfies PageParam as PageParam,
    getNextPageParam: ({ nextCursor }, pages): PageParam | null =>
      nextCursor === null ? null : { cursor: nextCursor, limit: nextLimit(pages) },
    enabled: when,
    refetchInterval: ({ state }) => (isPolled(state.data) ? POLL_MS.usual : false),
    refetchOnWindowFocus: ({ state }) => isPolled(state.data),
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
      // After a failure, only when the person asks for it.
      if (list.hasNextPage && !list.isFetching && !list.isError) void list.fetchNextPage();
    },
    isLoading: data === undefined,
    isOutdated: list.isPlaceholderData,
    isWhole: false,
    error: list.error,
    retry: () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch()),
    find,
    keysOf,
  };
}
