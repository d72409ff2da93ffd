/** Devices of all sites that match a query. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type AnswerOf, ask } from '../api/client.ts';
import { useSettled } from '../ui/use-settled.ts';

/** A pause in typing after which the query is sent. */
const PAUSE_MS = 120;
/** One letter is in nearly every name. */
const MIN_LETTERS = 2;
const LIMIT = 20;
/** Each call searches a limited number of sites; a person does not wait for more calls. */
const MAX_CALLS = 10;

type Answer = AnswerOf<'GET /search'>;
export type FoundDevice = Answer['devices'][number];

interface Found {
  devices: readonly FoundDevice[];
  searched: number;
  /** The sites that the token may read. */
  sites: number;
}
const NOTHING: Found = { devices: [], searched: 0, sites: 0 };

/** @param site its devices come first */
export function useSearch(site: string | null, text: string, mayRead: boolean) {
  const query = useSettled(text.trim(), PAUSE_MS);
  const isEnabled = mayRead && query.length >= MIN_LETTERS;
  const { data, isFetching, error } = useQuery({
    queryKey: ['GET /search', site, query],
    queryFn: ({ signal }) => searchAll(site, query, signal),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  return {
    ...(isEnabled && data !== undefined ? data : NOTHING),
    isSearching: isEnabled && (isFetching || query !== text.trim()),
    error: isEnabled ? error : null,
  };
}

/** Reads pages until there are as many devices as the list shows. */
async function searchAll(site: string | null, q: string, signal: AbortSignal): Promise<Found> {
  const devices: FoundDevice[] = [];
  let searched = 0;
  let sites = 0;
  let cursor: string | null = null;
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const query = { q, limit: String(LIMIT), ...(cursor === null ? {} : { cursor }) };
    const page: Answer = await ask('GET /search', { query, signal });
    devices.push(...page.devices);
    searched += page.searched;
    ({ sites, nextCursor: cursor } = page);
    if (cursor === null || devices.length >= LIMIT) break;
  }
  // The sort is stable.
  devices.sort((a, b) => Number(b.site === site) - Number(a.site === site));
  return { devices: devices.slice(0, LIMIT), searched, sites };
}
