/** The feed of a screen, polled. */
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { ask, type Question } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { type EventPage, type Feed, type Head, idOf, readFeed } from './feed.ts';
import { beginOf, type Filters } from './filters.ts';

export type ShownFeed = ReturnType<typeof useFeed>;

export type Changes = readonly { id: string; lastChangeAt: string | null }[] | null;

const PAGE = 100;
/** Longer lists are not polled: a new event changes all their pages. */
const MAX_POLLED_STEPS = 4;

/**
 * @param site null: all sites
 * @param changes for all sites: requests only those that have changed
 * @param isReading whether new events wait, because they would move the lines that the user reads
 */
export function useFeed(site: string | null, filters: Filters, changes: Changes, isReading: () => boolean) {
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
    /** Null before the first page. */
    feed: shown,
    /** New events that wait for `release`. */
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

/** The cache keeps unchanged sites and older events, which never change. */
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

/** Of a removed site, or one that the token may no longer use. */
export function problemOfSite(error: unknown): string | null {
  const { status, message } = problemOf(error);
  return status !== null && status >= 400 && status < 500 && status !== 429 ? message : null;
}
