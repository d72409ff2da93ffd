/** A list of the API in pages: the first at once, each further one on request. */
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type AnswerOf, ask, type Question, type ReadRoute } from './client.ts';
import { POLL_MS, pollAfterMs } from './queries.ts';

type PagedRoute = {
  [R in ReadRoute]: AnswerOf<R> extends { nextCursor: string | null } ? R : never;
}[ReadRoute];

interface Options<R extends PagedRoute> {
  /** Pause between two polls; it may depend on the pages read so far. */
  everyMs?: number | ((pages: readonly AnswerOf<R>[]) => number);
}

/** Longer lists are not polled: each page costs as much as the first. */
const MAX_POLLED = 4;

/** Polls the pages one after the other, so that rows added at the beginning leave no gap between them. */
export function usePages<R extends PagedRoute>(
  route: R,
  question: Question<R>,
  { everyMs = POLL_MS.usual }: Options<R> = {},
): UseInfiniteQueryResult<InfiniteData<AnswerOf<R>>> {
  const queryKey = ['pages', route, question];
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ client, pageParam, signal }) => {
      const query = { ...question.query, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const before = client.getQueryData<InfiniteData<AnswerOf<R>>>(queryKey);
      const known = before?.pages[before.pageParams.indexOf(pageParam)];
      return ask(route, { ...question, query, known, signal } as Question<R>);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last: AnswerOf<R>) => (last as { nextCursor: string | null }).nextCursor,
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      if (pages.length > MAX_POLLED) return false;
      return pollAfterMs(typeof everyMs === 'number' ? everyMs : everyMs(pages));
    },
  });
}
