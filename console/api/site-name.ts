/** What a site is called, for titles; its id until the name is known. */
import { POLL_MS, useAnswer } from './queries.ts';

export function useSiteName(site: string): string {
  // The question of the choice of sites, which stands above every screen.
  const { data } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  return data?.sites.find(({ id }) => id === site)?.name ?? site;
}
