/** The devices of a site: filtered, sorted and counted by the API, and loaded page by page. */
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CategoryCounts } from '../../../shared/device.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { POLL_MS, pollAfterMs, useAnswer } from '../../api/queries.ts';
import type { Device } from './device.ts';
import { type DeviceView, isFiltered, listQuery } from './view.ts';

const PAGE = 500;
/** The API gives no larger pages. */
const LARGE_PAGE = 10_000;
/**
 * With more pages than this, which are 4,000 devices, the list is asked for again only after a change: every page is a
 * request of its own.
 */
const MAX_POLLED_PAGES = 4;

export type DevicePage = AnswerOf<'GET /devices'>;

export interface DeviceList {
  /** Those that fit the view, in order, as far as they are loaded. */
  rows: readonly Device[];
  /** How many fit the view. */
  total: number;
  /** In a view with groups, how many devices each has. */
  groups: readonly { value: string; count: number }[];
  /** Null until they are known. */
  counts: CategoryCounts | null;
  /** Devices of the site, archived ones included. */
  size: number;
  /** All that fit are loaded. */
  isComplete: boolean;
  /** What is shown belongs to the view before this one. */
  isOutdated: boolean;
  /** What an `Answered` shows. */
  answer: { data: readonly Device[] | undefined; error: Error | null; refetch: () => void };
  loadMore: () => void;
  /** A loaded device. */
  find: (key: string) => Device | undefined;
}

interface PageParam {
  cursor?: string;
  limit: number;
}

export function useDeviceList(site: string, view: DeviceView): DeviceList {
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
    // Devices appear on an empty site while somebody watches.
    refetchInterval: ({ state: { data } }) =>
      isPolled(data) ? pollAfterMs(data?.pages[0]?.total === 0 ? emptyMs : POLL_MS.usual) : false,
    refetchOnWindowFocus: ({ state: { data } }) => isPolled(data),
    placeholderData: (before, last) => (last?.queryKey[1] === site ? before : undefined),
  });
  const { data } = list;
  const rows = useMemo(() => data?.pages.flatMap(devicesOf) ?? [], [data]);
  const byKey = useMemo(() => new Map(rows.map((device) => [device.key, device])), [rows]);
  const isKnown = data !== undefined && totals.data !== undefined;
  return {
    rows,
    total: data?.pages[0]?.total ?? 0,
    groups: data?.pages[0]?.groups ?? NO_GROUPS,
    counts: totals.data === undefined || seen === undefined ? null : countsOf(totals.data, seen),
    size: (totals.data?.[0] ?? 0) + (totals.data?.[5] ?? 0),
    isComplete: isKnown && !list.hasNextPage && !list.isPlaceholderData,
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
      // After a failure, only when the person asks for it.
      if (list.hasNextPage && !list.isFetching && !list.isError) void list.fetchNextPage();
    },
    find: (key) => byKey.get(key),
  };
}

const NO_GROUPS: DeviceList['groups'] = [];

/** The keys of all that fit a view, those that are not loaded included. */
export async function keysOf(site: string, view: DeviceView): Promise<string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const query = {
      ...listQuery({ ...view, by: null }),
      sort: 'mac',
      fields: 'all',
      limit: LARGE_PAGE,
      cursor,
    } as const;
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

/**
 * As many devices as are loaded already. After a change every page is asked for again, and this way there are few of them,
 * however far somebody has scrolled.
 */
function nextLimit(pages: readonly DevicePage[]): number {
  const loaded = pages.reduce((sum, { devices }) => sum + devices.length, 0);
  return Math.min(Math.max(loaded, PAGE), LARGE_PAGE);
}

function isPolled(data: InfiniteData<DevicePage, PageParam> | undefined): boolean {
  return (data?.pages.length ?? 0) <= MAX_POLLED_PAGES;
}

/** What agents see is counted as the list shows it: without the devices that no agent watches. */
function countsOf(
  [my, , favorites, isNew, , archived]: AnswerOf<'GET /devices/totals'>,
  { online, offline, down }: AnswerOf<'GET /devices/facets'>,
): CategoryCounts {
  return { my, online, offline, down, new: isNew, favorites, archived };
}
