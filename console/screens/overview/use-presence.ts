/** How many devices of a site were online over the last hours. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type AnswerOf, ask } from '../../api/client.ts';

export type Presence = AnswerOf<'GET /devices/presence'>;

/** A slot is half an hour: what is younger than this says the same. */
const KEEP_MS = 5 * 60_000;

/** @param when whether somebody looks: what is out of sight is not asked for */
export function usePresence(site: string, { hours = 24, when = true } = {}): UseQueryResult<Presence> {
  return useQuery({
    queryKey: ['GET /devices/presence', site, hours],
    queryFn: ({ signal }) => ask('GET /devices/presence', { site, query: { hours }, signal }),
    enabled: when,
    staleTime: KEEP_MS,
    refetchInterval: KEEP_MS,
  });
}
