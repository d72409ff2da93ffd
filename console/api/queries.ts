/** Answers of the API as React state: shared by all components, and kept fresh by polling. */
import { QueryClient, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, ask, type Question, type ReadRoute, type Route } from './client.ts';
import { currentConnection, onReturn } from './connection.ts';
import { Problem } from './problem.ts';

/** An unchanged answer is a 304, which costs half a read unit. */
export const POLL_MS = { usual: 15_000, lively: 4_000, calm: 60_000 } as const;

/** While the API is unreachable. */
const TRY_MS = 5_000;
const MAX_RETRIES = 2;
/** Retries after a 429 before the page shows the problem. */
const MAX_PAUSES = 10;

export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        // An unchanged answer is a 304, and then the same object.
        structuralSharing: false,
        retry: (failures, error) => failures < (isPause(error) ? MAX_PAUSES : isTemporary(error) ? MAX_RETRIES : 0),
        retryDelay: (attempt, error) => (isPause(error) ? 0 : 500 * 2 ** attempt * (0.5 + Math.random())),
        // The API may run on this machine, reachable while the browser believes to be offline.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  // Also for screens that do not poll.
  onReturn(() => void client.invalidateQueries());
  return client;
}

function isPause(error: unknown): boolean {
  return error instanceof Problem && error.status === 429;
}

function isTemporary(error: unknown): boolean {
  return error instanceof Problem && (error.status === null || error.status >= 500);
}

/** Spreads the polls of many open consoles. Constant in a page: an interval that changes restarts at each render. */
const JITTER = 0.9 + Math.random() * 0.2;

/** @returns the pause before the next poll, with jitter, and shorter while the API is unreachable */
export function pollAfterMs(everyMs: number): number {
  return (currentConnection().isReachable ? everyMs : Math.min(everyMs, TRY_MS)) * JITTER;
}

interface Options {
  /** Pause between two polls; 0 requests only once. Default: {@link POLL_MS}.usual. */
  everyMs?: number;
  /** Whether to send the request at all. */
  when?: boolean;
}

/** The key under which the query client keeps the answer. */
export function keyOf<R extends ReadRoute>(route: R, question: Question<R>) {
  return [route, question.site ?? null, question] as const;
}

/** An answer of the API, and its problem. Polled while the tab is visible. */
export function useAnswer<R extends ReadRoute>(
  route: R,
  question: Question<R> = {},
  { everyMs = POLL_MS.usual, when = true }: Options = {},
): UseQueryResult<AnswerOf<R>> {
  const queryKey = keyOf(route, question);
  return useQuery({
    queryKey,
    queryFn: ({ client, signal }) =>
      ask(route, { ...question, known: client.getQueryData<AnswerOf<R>>(queryKey), signal }),
    enabled: when,
    refetchInterval: everyMs === 0 ? false : () => pollAfterMs(everyMs),
    // After a change of the filter the old rows stay while the new ones are loading, but never those of another site.
    placeholderData: (before, query) => (isSameList(query?.queryKey, route, question) ? before : undefined),
  });
}

function isSameList<R extends ReadRoute>(key: readonly unknown[] = [], route: R, { site, params }: Question<R>) {
  const [lastRoute, lastSite, last] = key;
  const lastParams = (last as Question<R> | undefined)?.params;
  return lastRoute === route && lastSite === (site ?? null) && JSON.stringify(lastParams) === JSON.stringify(params);
}

/** A change, after which all visible queries are polled again; an unchanged answer is a 304. */
export function useChange<R extends Exclude<Route, ReadRoute>>(route: R) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (question: Question<R>) => ask(route, question),
    // Not awaited: the page shows the answer, such as a secret, at once.
    onSettled: () => void queries.invalidateQueries(),
  });
}
