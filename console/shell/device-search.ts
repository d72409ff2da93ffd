/** Devices of one or several sites by a part of their name, MAC or address, while a person types. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type AnswerOf, ask } from '../api/client.ts';
import { pauseOver } from '../api/connection.ts';
import { problemOf } from '../api/problem.ts';
import { useSettled } from '../ui/use-settled.ts';

/** A pause in typing after which it is worth to ask. */
const PAUSE_MS = 150;
/** One letter is in nearly every name. */
const MIN_LETTERS = 2;
const LIMIT = 20;
const MIN_PER_SITE = 5;

/** Sites that are asked at the same moment. */
const AT_ONCE = 5;

type Found = AnswerOf<'POST /devices/search'>['devices'][number] & { site: string };

interface Search {
  devices: readonly Found[];
  isSearching: boolean;
  error: Error | null;
}

/** @param sites each of which costs a request: those are for the caller to bound */
export function useDeviceSearch(sites: readonly string[], text: string): Search {
  const query = useSettled(text.trim(), PAUSE_MS);
  const isAsked = sites.length > 0 && query.length >= MIN_LETTERS;
  const { data, isFetching, error } = useQuery({
    queryKey: ['POST /devices/search', sites, query],
    queryFn: ({ signal }) => searchAll(sites, query, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  return {
    devices: isAsked ? (data ?? []) : [],
    isSearching: isAsked && (isFetching || query !== text.trim()),
    error: isAsked ? error : null,
  };
}

/** In the order of the sites, each with its share of what can be shown. */
async function searchAll(sites: readonly string[], query: string, signal: AbortSignal): Promise<Found[]> {
  const limit = Math.max(MIN_PER_SITE, Math.ceil(LIMIT / sites.length));
  const found: Found[][] = sites.map(() => []);
  const left = sites.map((site, i) => ({ site, i }));
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { site, i } = next;
      await pauseOver(signal);
      try {
        const { devices } = await ask('POST /devices/search', { site, body: { query, limit }, signal });
        found[i] = devices.map((device) => ({ ...device, site }));
      } catch (error) {
        // A site that was removed meanwhile must not hide what is on the others.
        if (sites.length === 1 || problemOf(error).code !== 'site_forbidden') throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.flat();
}
