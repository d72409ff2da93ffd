/** Devices of a site by a part of their name, MAC or address, while somebody types. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type AnswerOf, ask } from '../api/client.ts';
import { pauseOver } from '../api/connection.ts';

/** A pause in typing after which it is worth to ask. */
const PAUSE_MS = 150;
/** One letter is in nearly every name. */
const MIN_LETTERS = 2;
const LIMIT = 20;

interface Search {
  devices: AnswerOf<'POST /devices/search'>['devices'];
  isSearching: boolean;
  error: Error | null;
}

export function useDeviceSearch(site: string | null, text: string): Search {
  const query = useSettled(text.trim());
  const isAsked = site !== null && query.length >= MIN_LETTERS;
  const { data, isFetching, error } = useQuery({
    queryKey: ['POST /devices/search', site, query],
    queryFn: async ({ signal }) => {
      await pauseOver(signal);
      return ask('POST /devices/search', { site: site ?? '', body: { query, limit: LIMIT }, signal });
    },
    enabled: isAsked,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  return {
    devices: isAsked ? (data?.devices ?? []) : [],
    isSearching: isAsked && (isFetching || query !== text.trim()),
    error: isAsked ? error : null,
  };
}

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => settle(text), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}
