/** The events of one site, or of all that the token may read: loaded by the page, and polled. */
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { beginOf, type Filters } from './filters.ts';

export interface SiteEvent {
  site: string;
  event: DeviceEvent;
}

export type ShownFeed = ReturnType<typeof useFeed>;

type Page = AnswerOf<'GET /events'>;

const PAGE = 100;
/** Longer lists are not polled: a new event changes all their pages. */
const MAX_POLLED_PAGES = 4;

export const idOf = ({ site, event }: SiteEvent): string => `${site} ${event.id}`;

/** @param site of an answer about one site alone */
export function entriesOf({ events }: Pick<Page, 'events'>, site = ''): SiteEvent[] {
  return events.map((event) => ({ site: event.site ?? site, event }));
}

/**
 * @param site null: all sites
 * @param version of all sites: another one requests them again; undefined for one site, which is polled
 * @param isReading whether new events wait, because they would move the lines that the user reads
 */
export function useFeed(site: string | null, filters: Filters, version: string | undefined, isReading: () => boolean) {
  const [since] = useState(() => beginOf(filters.period, Date.now()));
  const query = {
    ...(site === null ? { sites: '*' } : {}),
    ...(filters.type === '' ? {} : { type: filters.type }),
    ...(filters.device === '' ? {} : { device: filters.device }),
    ...(since === null ? {} : { since }),
    limit: PAGE,
  };
  const queryKey = ['GET /events', site, 'pages', query];
  const isPolled = (pages: InfiniteData<Page> | undefined) => (pages?.pages.length ?? 0) <= MAX_POLLED_PAGES;
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ client, pageParam: cursor, signal }) => {
      const { pages = [], pageParams = [] } = client.getQueryData<InfiniteData<Page>>(queryKey) ?? {};
      const known = pages[pageParams.indexOf(cursor)];
      return ask('GET /events', { ...(site === null ? {} : { site }), query: { ...query, cursor }, known, signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => (site !== null && isPolled(state.data) ? pollAfterMs(POLL_MS.usual) : false),
    refetchOnWindowFocus: ({ state }) => isPolled(state.data),
  });
  const { data, error, refetch } = list;
  const refresh = useEffectEvent(() => {
    if (data !== undefined && isPolled(data)) void refetch();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever a site has changed
  useEffect(() => refresh(), [version]);

  const events = useMemo(() => data?.pages.flatMap((page) => entriesOf(page, site ?? '')), [data, site]);
  const [shown, show] = useState<readonly SiteEvent[] | null>(null);
  const newCount = events === undefined ? 0 : countBefore(events, shown);
  const release = useCallback(() => show(events ?? null), [events]);
  const showUnlessRead = useEffectEvent(() => {
    if (newCount === 0 || !isReading()) release();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else has been read
  useEffect(() => showUnlessRead(), [events]);
  return {
    /** Null before the first page. */
    events: shown,
    hasMore: list.hasNextPage,
    unreadable: data?.pages.flatMap(({ unreadable }) => unreadable) ?? [],
    /** New events that wait for `release`. */
    held: shown === events ? 0 : newCount,
    error,
    retry: () => void (list.isFetchNextPageError ? list.fetchNextPage() : refetch()),
    isLoadingMore: list.isFetchingNextPage,
    more: () => {
      release();
      void list.fetchNextPage();
    },
    release,
  };
}

function countBefore(events: readonly SiteEvent[], shown: readonly SiteEvent[] | null): number {
  const [first] = shown ?? [];
  if (first === undefined) return 0;
  const at = events.findIndex((entry) => idOf(entry) === idOf(first));
  return at === -1 ? events.length : at;
}
