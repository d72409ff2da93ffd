/** The devices of a site: the API filters, sorts and counts them, page by page. */
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CategoryCounts } from '../../../shared/device.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { POLL_MS, pollAfterMs, useAnswer } from '../../api/queries.ts';
import type { Device } from './device.ts';
import { type DeviceView, isFiltered, listQuery } from './view.ts';

const PAGE = 500;
/** The API's limit. */
const LARGE_PAGE = 10_000;
/** A list with more pages (4,000 devices) is not polled, only refetched after a change: each page is a request. */
const MAX_POLLED_PAGES = 4;

export type DevicePage = AnswerOf<'GET /devices'>;

export type DeviceList = ReturnType<typeof useDeviceList>;

interface PageParam {
  cursor?: string;
  limit: number;
}

export function useDeviceList(site: string, view: DeviceView) {
  const totals = useAnswer('GET /devices/totals', { site });
  const { data: seen } = useAnswer('GET /devices/facets', { site });
  const query = listQuery(view);
  const queryKey = ['GET /devices', site, 'pages', query];
  const emptyMs = isFiltered(view) ? POLL_MS.usual : POLL_MS.lively;
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ client, pageParam, signal }) => {
      const { pages = [], pageParams = [] } = client.getQueryData<InfiniteData<DevicePage, PageParam>>(queryKey) ?? {};
      const at = pageParams.findIndex(({ cursor, limit }) => cursor === pageParam.cursor && limit === pageParam.limit);
      return ask('GET /devices', { site, query: { ...query, fields: 'all', ...pageParam }, known: pages[at], signal });
    },
    initialPageParam: { limit: PAGE } as PageParam,
    getNextPageParam: ({ nextCursor }, pages) => (nextCursor ? { cursor: nextCursor, limit: nextLimit(pages) } : null),
    // On an empty site, devices appear soon after they are found.
    refetchInterval: ({ state: { data } }) =>
      isPolled(data) ? pollAfterMs(data?.pages[0]?.total === 0 ? emptyMs : POLL_MS.usual) : false,
    refetchOnWindowFocus: ({ state: { data } }) => isPolled(data),
    placeholderData: (before, last) => (last?.queryKey[1] === site ? before : undefined),
    enabled: view.status !== 'deleted',
  });
  const { data } = list;
  const rows = useMemo(() => data?.pages.flatMap(devicesOf) ?? [], [data]);
  const byKey = useMemo(() => new Map(rows.map((device) => [device.key, device])), [rows]);
  const isKnown = data !== undefined && totals.data !== undefined;
  return {
    /** The loaded devices that match the view, in order. */
    rows,
    /** The number that match the view. */
    total: data?.pages[0]?.total ?? 0,
    /** In a view with groups, the size of each. */
    groups: data?.pages[0]?.groups ?? NO_GROUPS,
    /** Null while they are loading. */
    counts: totals.data === undefined || seen === undefined ? null : countsOf(totals.data, seen),
    /** All devices of the site. */
    size: (totals.data?.[0] ?? 0) + (totals.data?.[5] ?? 0),
    isComplete: isKnown && !list.hasNextPage && !list.isPlaceholderData,
    /** The rows are those of the previous view. */
    isOutdated: list.isPlaceholderData,
    answer: {
      data: isKnown ? rows : undefined,
      error: list.error ?? totals.error,
      refetch: () => {
        if (totals.isError) void totals.refetch();
        void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch());
      },
    },
    loadMore: () => {
      // After a failure, only the person retries.
      if (list.hasNextPage && !list.isFetching && !list.isError) void list.fetchNextPage();
    },
    find: (key: string) => byKey.get(key),
  };
}

const NO_GROUPS: NonNullable<DevicePage['groups']> = [];

/** The keys of all devices that match a view, those that are not loaded included. */
export async function keysOf(site: string, view: DeviceView): Promise<string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const whole = { sort: 'mac', fields: 'all', limit: LARGE_PAGE, cursor } as const;
    const { groupBy: _, ...filters } = listQuery(view);
    const query = { ...filters, ...whole };
    const page: DevicePage = await ask('GET /devices', { site, query });
    for (const { key } of devicesOf(page)) keys.push(key);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return keys;
}

/** With `fields=all`, no row is a summary. */
export function devicesOf({ devices }: DevicePage): Device[] {
  return devices as Device[];
}

/** As many devices as are loaded already: refetching the list after a change then takes few requests. */
function nextLimit(pages: readonly DevicePage[]): number {
  const loaded = pages.reduce((sum, { devices }) => sum + devices.length, 0);
  return Math.min(Math.max(loaded, PAGE), LARGE_PAGE);
}

function isPolled(data: InfiniteData<DevicePage, PageParam> | undefined): boolean {
  return (data?.pages.length ?? 0) <= MAX_POLLED_PAGES;
}

/** Counts by status are those of the list: without the devices that no agent monitors. */
function countsOf(
  [my, , favorites, isNew, , archived]: AnswerOf<'GET /devices/totals'>,
  { online, offline, down }: AnswerOf<'GET /devices/facets'>,
): CategoryCounts {
  return { my, online, offline, down, new: isNew, favorites, archived };
}
