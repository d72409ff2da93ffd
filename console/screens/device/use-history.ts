/** The events of a device in the last 30 days: read once, after which only new ones are polled. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { ask } from '../../api/client.ts';
import { useAnswer } from '../../api/queries.ts';
import { newestFirst } from './history.ts';

const HISTORY_MS = 30 * 86_400_000;
const PAGE = 1_000;
/** For each page the API reads up to 2,000 changes of the site. */
const MAX_PAGES = 10;
/** The clock of the browser may be this far ahead of the API's without missing an event. */
const CLOCK_MARGIN_MS = 3_600_000;

export interface History {
  /** The newest first. */
  events: DeviceEvent[];
  /** Whether none of the 30 days was left out. */
  isComplete: boolean;
}

interface Past extends History {
  readAt: number;
}

export function useHistory(site: string, key: string) {
  const past = useQuery({
    queryKey: ['events of the last 30 days', site, key],
    queryFn: ({ signal }) => readPast(site, key, signal),
    staleTime: 'static', // The past does not change.
  });
  const readAt = past.data?.readAt;
  const since = new Date((readAt ?? Date.now()) - CLOCK_MARGIN_MS).toISOString();
  const news = useAnswer(
    'GET /devices/{mac}/events',
    { site, params: { mac: key }, query: { since, limit: PAGE } },
    { when: readAt !== undefined },
  );
  const data = useMemo(
    (): History | undefined =>
      past.data && {
        events: newestFirst([...past.data.events, ...(news.data?.events ?? [])]),
        isComplete: past.data.isComplete,
      },
    [past.data, news.data],
  );
  return { data, error: past.error, refetch: past.refetch };
}

async function readPast(site: string, key: string, signal: AbortSignal): Promise<Past> {
  const readAt = Date.now();
  const since = new Date(readAt - HISTORY_MS).toISOString();
  const events: DeviceEvent[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask('GET /devices/{mac}/events', {
      site,
      params: { mac: key },
      query: { since, limit: PAGE, cursor },
      signal,
    });
    events.push(...answer.events);
    if (answer.nextCursor === null) return { events, isComplete: true, readAt };
    cursor = answer.nextCursor;
  }
  return { events, isComplete: false, readAt };
}
