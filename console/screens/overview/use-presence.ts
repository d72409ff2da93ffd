/** The devices of a site that were online over the last hours. */
import texts from 'messages:overview';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type AnswerOf, ask } from '../../api/client.ts';

export type Presence = AnswerOf<'GET /devices/presence'>;

/** A slot is half an hour, so a younger reply is the same. */
const KEEP_MS = 5 * 60_000;

export function usePresence(site: string, when = true): UseQueryResult<Presence> {
  return useQuery({
    queryKey: ['GET /devices/presence', site],
    queryFn: ({ signal }) => ask('GET /devices/presence', { site, signal }),
    enabled: when,
    staleTime: KEEP_MS,
    refetchInterval: KEEP_MS,
  });
}

/** The least and the most devices online. @param known at least one count */
export function dayText(known: readonly number[]): string {
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return texts.day({ isSteady: least === most, least, most });
}
