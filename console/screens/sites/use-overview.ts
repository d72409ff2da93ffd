/** Every site with its numbers and agents: all pages of `GET /overview`. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type AnswerOf, ask } from '../../api/client.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';

type Page = AnswerOf<'GET /overview'>;
export type Overview = Pick<Page, 'sites' | 'unreadable'>;

const PAGE = 500;
/** With more sites the page polls less often: each costs two read units. */
const FEW = 50;

export function useOverview(): UseQueryResult<Overview> {
  return useQuery({
    queryKey: ['GET /overview', null, 'all pages'],
    queryFn: ({ signal }) => wholeOverview(signal),
    refetchInterval: ({ state: { data } }) =>
      pollAfterMs((data?.sites.length ?? 0) > FEW ? POLL_MS.calm : POLL_MS.usual),
  });
}

/** Another text once a site has changed: to request again what depends on all sites. */
export function versionOf(overview: Overview | undefined): string {
  return overview?.sites.map(({ id, lastChangeAt }) => `${id} ${lastChangeAt}`).join() ?? '';
}

async function wholeOverview(signal: AbortSignal): Promise<Overview> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await ask('GET /overview', { query: { limit: PAGE, cursor }, signal });
    pages.push(page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return {
    sites: pages.flatMap(({ sites }) => sites),
    unreadable: pages.flatMap(({ unreadable }) => unreadable),
  };
}
