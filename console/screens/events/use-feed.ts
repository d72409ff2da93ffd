/** The feed of a screen: read when it is shown, looked at again from time to time, dropped with the screen. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { showProblem } from '../../ui/toast.tsx';
import type { Head } from './feed.ts';
import { beginOf, type Filters } from './filters.ts';
import { type FeedState, openFeed } from './open-feed.ts';

export interface ShownFeed extends FeedState {
  error: Error | null;
  retry(): void;
  isLoadingMore: boolean;
  more(): Promise<void>;
  release(): void;
}

/** When each site was changed last; null while that is not known. */
export type Changes = readonly { id: string; lastChangeAt: string | null }[] | null;

/**
 * @param site null: all sites
 * @param changes only for all sites: whenever one of them has changed, it is asked
 */
export function useFeed(site: string | null, filters: Filters, changes: Changes): ShownFeed {
  const latest = useRef(changes);
  latest.current = changes;
  const [feed] = useState(() => {
    const since = beginOf(filters.period, Date.now());
    const query = {
      ...(filters.type === '' ? {} : { type: filters.type }),
      ...(filters.device === '' ? {} : { device: filters.device }),
      ...(since === null ? {} : { since }),
    };
    return openFeed({
      heads: async () => (site === null ? headsOf(latest.current, since) : [{ site, changedAt: Infinity }]),
      page: (of, { limit, cursor }, signal) =>
        ask('GET /events', { site: of, query: { ...query, limit, cursor }, signal }),
      problemOfSite: (error) => (site === null ? problemOfSite(error) : null),
    });
  });
  const left = useRef(new AbortController());
  useEffect(() => {
    left.current = new AbortController();
    return () => left.current.abort();
  }, []);

  const [id] = useState(() => ++lastId);
  const version = useMemo(() => changes?.map((one) => `${one.id} ${one.lastChangeAt}`).join(), [changes]);
  const { error, refetch } = useQuery({
    queryKey: ['feed of events', id, version],
    queryFn: async ({ signal }) => {
      await feed.refresh(signal);
      return null;
    },
    enabled: site !== null || changes !== null,
    // Of all sites nothing is asked in a round before which none has changed, but what an earlier round has left.
    refetchInterval: () => pollAfterMs(POLL_MS.usual),
    staleTime: 0,
    gcTime: 0,
  });

  const [isLoadingMore, setLoadingMore] = useState(false);
  const more = useCallback(async () => {
    setLoadingMore(true);
    try {
      await feed.more(left.current.signal);
    } catch (problem) {
      if (!left.current.signal.aborted) showProblem(problem);
    }
    setLoadingMore(false);
  }, [feed]);

  const state = useSyncExternalStore(feed.subscribe, feed.state);
  return { ...state, error, retry: () => void refetch(), isLoadingMore, more, release: feed.release };
}

let lastId = 0;

function headsOf(changes: Changes, since: string | null): Head[] {
  const begin = since === null ? -Infinity : Date.parse(since);
  return (changes ?? []).map(({ id, lastChangeAt }) => {
    const changedAt = lastChangeAt === null ? -Infinity : Date.parse(lastChangeAt);
    return { site: id, changedAt: changedAt < begin ? -Infinity : changedAt };
  });
}

/** A site that was removed, or that the token may not use any more. */
function problemOfSite(error: unknown): string | null {
  const { status, message } = problemOf(error);
  return status !== null && status >= 400 && status < 500 && status !== 429 ? message : null;
}
