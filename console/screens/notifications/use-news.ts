/** The newest important events of all sites, requested when one of them has changed. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask } from '../../api/client.ts';
import { IMPORTANT } from '../../text/event-names.ts';
import { entriesOf, type SiteEvent } from '../events/feed.ts';
import { useOverview, versionOf } from '../sites/use-overview.ts';

export const MOST_UNREAD = 20;

const NONE: readonly SiteEvent[] = [];
const QUERY = { sites: '*', type: IMPORTANT.join(','), limit: MOST_UNREAD + 1 };

export function useNews() {
  const { data: overview } = useOverview();
  const sites = overview?.sites;
  const { data } = useQuery({
    queryKey: ['GET /events', null, 'news', versionOf(overview)],
    queryFn: async ({ signal }) => entriesOf(await ask('GET /events', { query: QUERY, signal })),
    enabled: sites !== undefined,
    staleTime: 'static',
    placeholderData: keepPreviousData,
  });
  const siteNames = useMemo(() => new Map((sites ?? []).map(({ id, name }) => [id, name])), [sites]);
  /** By the clock of the API; null before the first change. */
  const lastChangeAt = (sites ?? []).reduce<string | null>(
    (last, site) => (site.lastChangeAt !== null && site.lastChangeAt > (last ?? '') ? site.lastChangeAt : last),
    null,
  );
  return { events: data ?? NONE, siteNames, lastChangeAt, isRead: data !== undefined };
}
