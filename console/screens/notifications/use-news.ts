/** The newest important events of all sites; those of a site are requested when it has changed. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { IMPORTANT } from '../../text/event-names.ts';
import { readFeed, type SiteEvent } from '../events/feed.ts';
import { headsOf, pageOf, problemOfSite } from '../events/use-feed.ts';
import { useOverview } from '../sites/use-overview.ts';

export const MOST_UNREAD = 20;

const NONE: readonly SiteEvent[] = [];

export function useNews() {
  const { data: overview } = useOverview();
  const sites = overview?.sites;
  const heads = headsOf(sites ?? null, null);
  const version = heads.map((head) => `${head.site} ${head.changedAt}`).join();
  const query = { type: IMPORTANT.join(','), limit: MOST_UNREAD + 1 };
  const { data } = useQuery({
    queryKey: ['news', version],
    queryFn: ({ client }) =>
      readFeed(
        heads,
        1,
        { page: (head, cursor) => pageOf(client, head, { ...query, cursor }), problemOfSite },
        MOST_UNREAD + 1,
      ),
    enabled: sites !== undefined,
    placeholderData: keepPreviousData,
  });
  const siteNames = useMemo(() => new Map((sites ?? []).map(({ id, name }) => [id, name])), [sites]);
  /** By the clock of the API; null before the first change. */
  const lastChangeAt = (sites ?? []).reduce<string | null>(
    (last, site) => (site.lastChangeAt !== null && site.lastChangeAt > (last ?? '') ? site.lastChangeAt : last),
    null,
  );
  return { events: data?.events ?? NONE, siteNames, lastChangeAt, isRead: data !== undefined };
}
