/** The devices of a site, with as much of each as the topology shows. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { statusOf } from '../../../shared/device-status.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { POLL_MS, pollAfterMs } from '../../api/queries.ts';
import { INTERNET, type TopologyDevice } from './tree.ts';

type Page = AnswerOf<'GET /devices'>;
type Row = Extract<Page['devices'][number], { key: string }>;

/** The largest pages that the API gives: nearly every site is one request. */
const PAGE_SIZE = 10_000;
/** Above this many devices, looking for changes is a matter of several requests. */
const LARGE = 20_000;

/** An unchanged page is a 304, and then the same object: its devices are not read from it again. */
const known = new WeakMap<Page, TopologyDevice[]>();

/**
 * `GET /devices/network/topology` would be smaller, but it knows neither status nor address, and the short list of
 * devices has no key for those without a MAC address. So both would be needed, and still not match.
 */
export function useDevices(site: string): UseQueryResult<readonly TopologyDevice[]> {
  return useQuery({
    queryKey: ['topology', site],
    queryFn: ({ signal }) => readDevices(site, signal),
    // Compared page by page, which is faster than device by device.
    structuralSharing: (before, now) => (isSame(before, now) ? before : now),
    select: flatten,
    refetchInterval: ({ state }) => pollAfterMs(countOf(state.data) > LARGE ? POLL_MS.calm : POLL_MS.usual),
  });
}

async function readDevices(site: string, signal: AbortSignal): Promise<TopologyDevice[][]> {
  const pages: TopologyDevice[][] = [];
  let cursor: string | undefined;
  do {
    const page = await ask('GET /devices', { site, query: { fields: 'all', limit: PAGE_SIZE, cursor }, signal });
    const devices = known.get(page) ?? page.devices.filter(isRow).map(deviceOf);
    known.set(page, devices);
    pages.push(devices);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

function isRow(device: Page['devices'][number]): device is Row {
  return 'key' in device;
}

function deviceOf(row: Row): TopologyDevice {
  return {
    key: row.key,
    name: row.devName || (row.key === INTERNET ? INTERNET : ''),
    ip: row.devLastIP,
    type: row.devType,
    status: statusOf(row),
    parent: row.devParentMAC,
    parentPort: row.devParentPort,
  };
}

function flatten(pages: TopologyDevice[][]): readonly TopologyDevice[] {
  return pages.flat();
}

function countOf(pages: TopologyDevice[][] | undefined): number {
  return pages?.reduce((sum, page) => sum + page.length, 0) ?? 0;
}

function isSame(before: unknown, now: unknown): boolean {
  return (
    Array.isArray(before) &&
    Array.isArray(now) &&
    before.length === now.length &&
    before.every((page, index) => page === now[index])
  );
}
