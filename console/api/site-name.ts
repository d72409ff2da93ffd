/** The name of a site, for titles; its id while that is loading. */
import { POLL_MS, useAnswer } from './queries.ts';

export function useSiteName(site: string): string {
  // Shares the request of the site choice, which stands above every screen.
  const { data } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  return data?.sites.find(({ id }) => id === site)?.name ?? site;
}
