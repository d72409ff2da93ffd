/** The feed of a screen: read when it is shown, and again when something may have happened. */
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { ask, type Question } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { type EventPage, type Feed, type Head, idOf, readFeed } from './feed.ts';
import { beginOf, type Filters } from './filters.ts';

export interface ShownFeed {
  /** What is shown; null as long as nothing has been read. */
  feed: Feed | null;
  /** New events that are not shown before `release`. */
  held: number;
  error: Error | null;
  retry: () => void;
  isLoadingMore: boolean;
  more: () => void;
  release: () => void;
}

/** When each site was changed last; null while that is not known. */
export type Changes = readonly { id: string; lastChangeAt: string | null }[] | null;

const PAGE = 100;
/** A longer list is not asked for again by itself: when something has happened, all its pages are others. */
const MAX_POLLED_STEPS = 4;

/**
 * @param site null: all sites
 * @param changes only for all sites: those that have changed are asked again
 * @param isReading whether new events have to wait, because they would move what is read
 */
export function useFeed(site: string | null, filters: Filters, changes: Changes, isReading: () => boolean): ShownFeed {
  const [steps, setSteps] = useState(1);
  const [since] = useState(() => beginOf(filters.period, Date.now()));
  const query = {
    ...(filters.type === '' ? {} : { type: filters.type }),
    ...(filters.device === '' ? {} : { device: filters.device }),
    ...(since === null ? {} : { since }),
  };
  const isPolled = steps <= MAX_POLLED_STEPS;
  const heads = site === null ? headsOf(changes, since) : [{ site, changedAt: Infinity }];
  const version = heads.map((head) => `${head.site} ${head.changedAt}`).join();
  const [readVersion, setReadVersion] = useState(version);
  if (readVersion !== version && isPolled) setReadVersion(version);
  const { data, error, refetch } = useQuery({
    queryKey: ['feed', site, query, steps, readVersion],
    queryFn: async ({ client }) => {
      const feed = await readFeed(heads, steps, {
        page: (head, cursor) => pageOf(client, head, { ...query, limit: PAGE, cursor }),
        problemOfSite: (failure) => (site === null ? problemOfSite(failure) : null),
      });
      return { feed, steps };
    },
    enabled: site !== null || changes !== null,
    refetchInterval: () => (site !== null && isPolled ? pollAfterMs(POLL_MS.usual) : false),
    placeholderData: keepPreviousData,
  });

  const [shown, show] = useState<Feed | null>(null);
  const feed = data?.feed;
  const newCount = feed === undefined ? 0 : countBefore(feed, shown);
  const release = useCallback(() => show(feed ?? null), [feed]);
  const showUnlessRead = useEffectEvent(() => {
    if (newCount === 0 || !isReading()) release();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else has been read
  useEffect(() => showUnlessRead(), [feed]);
  return {
    feed: shown,
    held: shown === feed ? 0 : newCount,
    error,
    retry: () => void refetch(),
    isLoadingMore: data !== undefined && data.steps < steps,
    more: () => {
      release();
      setSteps((before) => before + 1);
    },
    release,
  };
}

/** Kept by the cache: of a site that has not changed nothing is asked again, and older events never change. */
export function pageOf(client: QueryClient, { site, changedAt }: Head, query: Question<'GET /events'>['query']) {
  const isLasting = query?.cursor !== undefined || changedAt !== Infinity;
  const queryKey = ['GET /events', site, query, String(changedAt)];
  return client.fetchQuery<EventPage>({
    queryKey,
    queryFn: ({ signal }) =>
      ask('GET /events', { site, query, known: client.getQueryData(queryKey), signal } as Question<'GET /events'>),
    staleTime: isLasting ? 'static' : 0,
  });
}

/** How many events stand in front of those that are shown. */
function countBefore({ events }: Feed, shown: Feed | null): number {
  const [first] = shown?.events ?? [];
  if (first === undefined) return 0;
  const at = events.findIndex((entry) => idOf(entry) === idOf(first));
  return at === -1 ? events.length : at;
}

export function headsOf(changes: Changes, since: string | null): Head[] {
  const begin = since === null ? -Infinity : Date.parse(since);
  return (changes ?? []).map(({ id, lastChangeAt }) => {
    const changedAt = lastChangeAt === null ? -Infinity : Date.parse(lastChangeAt);
    return { site: id, changedAt: changedAt < begin ? -Infinity : changedAt };
  });
}

/** A site that was removed, or that the token may not use any more. */
export function problemOfSite(error: unknown): string | null {
  const { status, message } = problemOf(error);
  return status !== null && status >= 400 && status < 500 && status !== 429 ? message : null;
}
