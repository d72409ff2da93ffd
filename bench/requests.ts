/** The requests whose speed is measured, and what is wanted of it. */
import { gunzipSync } from 'node:zlib';
import { openApi } from './api.ts';
import { requestText } from './load.ts';
import { atLeast, type Figure, type RequestRow, rateFigure, ratioFigure } from './report.ts';
import type { Subject } from './rounds.ts';
import type { RunningSystem } from './running-system.ts';
import type { Yardstick } from './yardsticks.ts';

export const NAMES = {
  empty: 'an empty route',
  getItem: 'a bare GetItem',
  health: 'GET /health',
  list: 'GET /devices, gzip',
  identity: 'GET /devices, identity',
  unchanged: 'GET /devices, 304',
  totals: 'GET /devices/totals',
  latest: 'GET /devices/latest',
  byStatus: 'GET /devices/by-status?status=online',
  search: 'POST /devices/search, 11 hits',
  csv: 'GET /devices/export?format=csv',
  topology: 'GET /devices/network/topology',
} as const;

/** Every query finds 11 devices in each of the generated collections, such as 10.0.1.10 and 10.0.1.100 to 10.0.1.109. */
const QUERIES = [0, 1, 2].flatMap((net) => Array.from({ length: 15 }, (_, i) => `10.0.${net}.${i + 10}`));
const HITS = 11;

export function emptyRoute({ url, request, pid }: Yardstick): Subject {
  return { name: NAMES.empty, url, requests: [request], status: 200, server: pid, engine: null };
}

export function bareGetItem({ url, request, pid }: Yardstick): Subject {
  return { name: NAMES.getItem, url, requests: [request], status: 200, server: pid, engine: null };
}

/**
 * The requests of a site, after a look at what they answer.
 * @param engine process id of the database, if the system has not started it
 */
export async function requestsOf(
  system: RunningSystem,
  site: string,
  devices: number,
  engine: number | null = null,
): Promise<Subject[]> {
  const { url, token } = system;
  const processes = system.processes();
  const etag = await checkContents(system, site, devices);
  const subject = (name: keyof typeof NAMES, requests: string[], status = 200): Subject => ({
    name: NAMES[name],
    url,
    requests,
    status,
    server: processes.server,
    engine: engine ?? processes.engine,
  });
  const read = (path: string, headers: Record<string, string> = { 'Accept-Encoding': 'gzip' }) => [
    requestText(url, 'GET', path, { token, site, headers }),
  ];
  return [
    subject('health', [requestText(url, 'GET', '/health')]),
    subject('list', read('/devices')),
    subject('identity', read('/devices', {})),
    subject('unchanged', read('/devices', { 'Accept-Encoding': 'gzip', 'If-None-Match': etag }), 304),
    subject('totals', read('/devices/totals')),
    subject('latest', read('/devices/latest')),
    subject('byStatus', read('/devices/by-status?status=online')),
    subject(
      'search',
      QUERIES.map((query) => {
        const headers = { 'Accept-Encoding': 'gzip' };
        return requestText(url, 'POST', '/devices/search', { token, site, headers, json: { query } });
      }),
    ),
    subject('csv', read('/devices/export?format=csv')),
    subject('topology', read('/devices/network/topology')),
  ];
}

/** An answer that lacks devices would be fast. @returns the ETag of the list */
async function checkContents({ url, token }: RunningSystem, site: string, devices: number): Promise<string> {
  const api = openApi(url, token);
  try {
    const list = await api.send('GET', '/devices', { site, gzip: true });
    if (list.headers['content-encoding'] !== 'gzip') throw new Error('The list of devices came uncompressed');
    const listed = JSON.parse(gunzipSync(list.body).toString()).devices.length;
    if (listed !== devices) throw new Error(`Expected ${devices} devices, got ${listed}`);
    for (const query of QUERIES) {
      const found = JSON.parse((await api.send('POST', '/devices/search', { site, json: { query } })).body.toString());
      if (found.devices.length !== HITS)
        throw new Error(`Expected ${HITS} devices for ${query}, got ${found.devices.length}`);
    }
    const { etag } = list.headers;
    if (etag === undefined) throw new Error('The list of devices has no ETag');
    return etag;
  } finally {
    api.close();
  }
}

const READY = ['totals', 'latest', 'unchanged', 'byStatus'] as const;

/** What is wanted of the requests of a site with 10,000 devices. */
export function goalsOf(rows: readonly RequestRow[], devices: string): Figure[] {
  const row = (name: keyof typeof NAMES): RequestRow => {
    const found = rows.find((one) => one.name === NAMES[name]);
    if (found === undefined) throw new Error(`${NAMES[name]} was not measured`);
    return found;
  };
  const share = (name: keyof typeof NAMES, percent: number) =>
    ratioFigure(
      `${NAMES[name]}, ${devices}: requests/s of the empty route's`,
      '%',
      atLeast(percent),
      row(name).percentOfYardstick,
    );
  return [
    ...READY.flatMap((name) => [
      share(name, 30),
      ratioFigure(`${NAMES[name]}, ${devices}: p50 of the empty route's`, '×', 3, row(name).timesYardstick),
    ]),
    share('search', 20),
    rateFigure(`${NAMES.list}, ${devices}: requests/s`, atLeast(3_000), row('list').perSecond),
  ];
}
