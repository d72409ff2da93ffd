/** The sites that the token may use, with their tags. */
import { useMemo } from 'react';
import { POLL_MS, useAnswer } from './queries.ts';
import { useRights } from './rights.ts';
import { countedTags, type TaggedSite } from './selection.ts';

interface KnownSites {
  sites: readonly (TaggedSite & { name: string })[];
  /** Counts of sites by tag. */
  tags: ReadonlyMap<string, number>;
  nameOf: (site: string) => string;
  error: Error | null;
}

/** Shares the request of the site choice, which stands above every screen. */
export function useKnownSites(): KnownSites {
  const when = useRights().may('devices:read');
  const { data, error } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm, when });
  return useMemo(() => {
    const sites = data?.sites ?? [];
    const names = new Map(sites.map(({ id, name }) => [id, name]));
    return { sites, tags: countedTags(sites), nameOf: (site) => names.get(site) ?? site, error };
  }, [data, error]);
}
