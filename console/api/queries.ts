/** Answers of the API as React state: asked once, shared by all who show them, and kept fresh by polling. */
import {
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type AnswerOf, ask, type Question, type ReadRoute, type Route } from './client.ts';
import { currentConnection, onReturn } from './connection.ts';
import { Problem } from './problem.ts';

/** How often what is shown is asked for again. An unchanged answer is a 304, which costs half a read unit. */
export const POLL_MS = { usual: 15_000, lively: 4_000, calm: 60_000 } as const;

/** How often an API that cannot be reached is tried. */
const TRY_MS = 5_000;
const MAX_RETRIES = 2;
/** How often it is waited for a pause that the API has asked for, before that is said instead of an answer. */
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
        // The API may be on this very machine, whatever the browser knows of its network.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  // What could not be asked meanwhile, also by screens that do not poll.
  onReturn(() => void client.invalidateQueries());
  return client;
}

function isPause(error: unknown): boolean {
  return error instanceof Problem && error.status === 429;
}

function isTemporary(error: unknown): boolean {
  return error instanceof Problem && (error.status === null || error.status >= 500);
}

/**
 * Many open consoles should not ask at the same moment. The same for all queries of this page, because an interval that
 * is another one at each look begins anew each time.
 */
const JITTER = 0.9 + Math.random() * 0.2;

/** @returns when to poll again: somewhat earlier or later than asked for, and sooner while the API cannot be reached */
export function pollAfterMs(everyMs: number): number {
  const usual = currentConnection().isReachable ? everyMs : Math.min(everyMs, TRY_MS);
  return usual * JITTER;
}

interface Options {
  /** Pause between two requests; 0 asks only once. Default: {@link POLL_MS}.usual. */
  everyMs?: number;
  /** Whether to ask at all. */
  when?: boolean;
}

/** Under which the answer is kept. */
export function keyOf<R extends ReadRoute>(route: R, question: Question<R>) {
  return [route, question.site ?? null, question] as const;
}

/** An answer of the API, and what stands in its way. Polled while somebody looks, not in a hidden tab. */
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
    // Another filter of the same list: the old rows stay until the new ones are here. Those of another site do not.
    placeholderData: (before, query) => (isSameThing(query?.queryKey, route, question) ? before : undefined),
  });
}

function isSameThing<R extends ReadRoute>(
  key: readonly unknown[] | undefined,
  route: R,
  question: Question<R>,
): boolean {
  const [askedRoute, askedSite, asked] = key ?? [];
  const params = (asked as Question<R> | undefined)?.params;
  return (
    askedRoute === route &&
    askedSite === (question.site ?? null) &&
    JSON.stringify(params) === JSON.stringify(question.params)
  );
}

/** A change, after which everything that is shown is asked for again; what has not changed is a 304. */
export function useChange<R extends Exclude<Route, ReadRoute>>(
  route: R,
): UseMutationResult<AnswerOf<R>, Error, Question<R>> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (question: Question<R>) => ask(route, question),
    onSettled: () => {
      // Not waited for: what the change has answered, such as a secret, is shown at once.
      void queries.invalidateQueries();
    },
  });
}
