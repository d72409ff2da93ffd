/** The devices of a site, with the fields that the map shows. */
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { statusOf } from '../../../shared/device-status.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { calledText } from '../../text/called.ts';
import { INTERNET, type TopologyDevice } from './tree.ts';

type Page = AnswerOf<'GET /devices'>;
type Row = Extract<Page['devices'][number], { key: string }>;

/** The maximum of the API: one request for nearly every site; the page polls more than two less often. */
const PAGE_SIZE = 10_000;

export function topologyKey(site: string, at: string | null = null) {
  return ['GET /devices', site, 'topology', at] as const;
}

/**
 * `GET /devices/network/topology` is smaller, but has neither status nor address, and the short list of devices has no
 * key for those without a MAC address.
 * @param at ISO 8601: the devices at that time; null: now
 */
export function useDevices(site: string, at: string | null): UseQueryResult<readonly TopologyDevice[]> {
  const queryKey = topologyKey(site, at);
  return useQuery({
    queryKey,
    queryFn: ({ client, signal }) => readPages(site, at, client.getQueryData<Page[]>(queryKey) ?? [], signal),
    select: (pages) => pages.flatMap(({ devices }) => devices as Row[]).map(deviceOf),
    // The past does not change. The old picture stays until the next one is loaded.
    ...(at === null ? {} : { staleTime: Number.POSITIVE_INFINITY, placeholderData: keepPreviousData }),
    refetchInterval: ({ state }) =>
      at !== null ? false : pollAfterMs((state.data?.length ?? 0) > 2 ? POLL_MS.calm : POLL_MS.usual),
  });
}

/** @returns the same object when nothing has changed */
async function readPages(site: string, at: string | null, before: Page[], signal: AbortSignal): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const query = { fields: 'all', limit: PAGE_SIZE, cursor, ...(at === null ? {} : { at }) } as const;
    const known = pages.every((page, i) => page === before[i]) ? before[pages.length] : undefined;
    const page: Page = await ask('GET /devices', { site, query, known, signal });
    pages.push(page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const isSame = pages.length === before.length && pages.every((page, i) => page === before[i]);
  return isSame ? before : pages;
}

function deviceOf(row: Row): TopologyDevice {
  return {
    key: row.key,
    name: row.key === INTERNET ? row.devName || INTERNET : calledText(row),
    ip: row.devLastIP,
    type: row.devType,
    status: statusOf(row),
    parent: row.devParentMAC,
    parentPort: row.devParentPort,
  };
}

export function moved(pages: Page[] | undefined, key: string, place: Pick<Row, 'devParentMAC' | 'devParentPort'>) {
  return pages?.map((page) => ({
    ...page,
    devices: (page.devices as Row[]).map((row) => (row.key === key ? { ...row, ...place } : row)),
  }));
}
