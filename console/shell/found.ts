/** Devices of all sites that fit what a person types. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type AnswerOf, ask } from '../api/client.ts';
import { useSettled } from '../ui/use-settled.ts';

/** A pause in typing after which it is worth to ask. */
const PAUSE_MS = 120;
/** One letter is in nearly every name. */
const MIN_LETTERS = 2;
const LIMIT = 20;
/** One call searches so many sites; a person does not wait for more of them. */
const MAX_CALLS = 10;

type Answer = AnswerOf<'GET /search'>;
export type FoundDevice = Answer['devices'][number];

interface Found {
  devices: readonly FoundDevice[];
  /** Of how many sites the token may read. */
  searched: number;
  sites: number;
}
const NOTHING: Found = { devices: [], searched: 0, sites: 0 };

interface Search extends Found {
  isSearching: boolean;
  error: Error | null;
}

/** @param site whose devices come first, among equals */
export function useSearch(site: string | null, text: string, mayRead: boolean): Search {
  const query = useSettled(text.trim(), PAUSE_MS);
  const isAsked = mayRead && query.length >= MIN_LETTERS;
  const { data, isFetching, error } = useQuery({
    queryKey: ['GET /search', site, query],
    queryFn: ({ signal }) => searchAll(site, query, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  return {
    ...(isAsked && data !== undefined ? data : NOTHING),
    isSearching: isAsked && (isFetching || query !== text.trim()),
    error: isAsked ? error : null,
  };
}

/** Goes on until there are as many as are shown. */
async function searchAll(site: string | null, q: string, signal: AbortSignal): Promise<Found> {
  const devices: FoundDevice[] = [];
  let searched = 0;
  let sites = 0;
  let cursor: string | null = null;
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const query = { q, limit: String(LIMIT), ...(cursor === null ? {} : { cursor }) };
    const answer: Answer = await ask('GET /search', { query, signal });
    devices.push(...answer.devices);
    searched += answer.searched;
    ({ sites, nextCursor: cursor } = answer);
    if (cursor === null || devices.length >= LIMIT) break;
  }
  const own = devices.filter((device) => device.site === site);
  const others = devices.filter((device) => device.site !== site);
  return { devices: [...own, ...others].slice(0, LIMIT), searched, sites };
}
