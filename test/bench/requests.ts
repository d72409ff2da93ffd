/** What is measured: in each round every request on every build, so that other load affects all of them alike. */
import { send } from './api.ts';
import { requestText, runLoad } from './load.ts';
import type { RequestRow, RequestTable } from './report.ts';
import { meanOf, medianOf, sampleOf } from './sampling.ts';
import type { Server } from './server.ts';

export interface Rounds {
  rounds: number;
  /** How long each request is measured in a round, with one connection and again with ten. */
  sliceMs: number;
}

const MANY = 10;
/** Before the rounds, so that the code of every request has been compiled. */
const WARM_UP_MS = 300;

/** Every query finds 11 devices in each of the generated collections, such as 10.0.1.10 and 10.0.1.100 to 10.0.1.109. */
const QUERIES = [0, 1, 2].flatMap((net) => Array.from({ length: 15 }, (_, i) => `10.0.${net}.${i + 10}`));
const HITS = 11;

/** A request, or several in turn. */
export interface Subject {
  name: string;
  requests: string[];
  status: number;
}

/** The reads of a site with so many devices. */
export async function measureReads(
  servers: readonly Server[],
  site: string,
  devices: number,
  rounds: Rounds,
): Promise<RequestTable> {
  const subjects: Subject[][] = [];
  for (const server of servers) subjects.push(readsOf(server, site, await checkContents(server, site, devices)));
  return { title: `${devices.toLocaleString('en')} devices`, rows: await measureRounds(servers, subjects, rounds) };
}

function readsOf({ url, token }: Server, site: string, etag: string): Subject[] {
  const gzip = { 'Accept-Encoding': 'gzip' };
  const get = (path: string, headers: Record<string, string> = gzip) =>
    requestText(url, 'GET', path, { token, site, headers });
  const search = QUERIES.map((query) =>
    requestText(url, 'POST', '/devices/search', { token, site, headers: gzip, json: { query } }),
  );
  return [
    { name: 'GET /health', requests: [requestText(url, 'GET', '/health')], status: 200 },
    { name: 'GET /devices, gzip', requests: [get('/devices')], status: 200 },
    { name: 'GET /devices, identity', requests: [get('/devices', {})], status: 200 },
    { name: 'GET /devices, 304', requests: [get('/devices', { ...gzip, 'If-None-Match': etag })], status: 304 },
    ...['/totals', '/latest', '/by-status?status=online', '/export?format=csv', '/network/topology'].map((path) => {
      return { name: `GET /devices${path}`, requests: [get(`/devices${path}`)], status: 200 };
    }),
    { name: `POST /devices/search, ${HITS} hits`, requests: search, status: 200 },
  ];
}

/** An answer that lacks devices would be fast. @returns the ETag of the compressed list */
async function checkContents(server: Server, site: string, devices: number): Promise<string> {
  const list = await send(server, 'GET', '/devices', { site });
  if (list.headers.get('content-encoding') !== 'gzip') throw new Error('The list of devices came uncompressed');
  const listed = JSON.parse(list.text).devices.length;
  if (listed !== devices) throw new Error(`Expected ${devices} devices, got ${listed}`);
  for (const query of QUERIES) {
    const found = JSON.parse((await send(server, 'POST', '/devices/search', { site, body: { query } })).text).devices;
    if (found.length !== HITS) throw new Error(`Expected ${HITS} devices for ${query}, got ${found.length}`);
  }
  return list.headers.get('etag') ?? '';
}

/** What was measured of one request on one build, by round. */
interface Measured {
  /** With one connection. */
  latenciesMs: number[][];
  /** With ten connections. */
  rates: number[];
  cpus: number[];
}

/** @param subjects the same ones for each server */
export async function measureRounds(
  servers: readonly Server[],
  subjects: readonly (readonly Subject[])[],
  { rounds, sliceMs }: Rounds,
): Promise<RequestRow[]> {
  const all = (subjects[0] ?? []).map(({ name }, at) => ({
    name,
    builds: servers.map((server, i) => {
      return { server, subject: subjects[i]![at]!, measured: { latenciesMs: [], rates: [], cpus: [] } as Measured };
    }),
  }));
  for (const { server, subject } of all.flatMap(({ builds }) => builds)) {
    await measureSlice(server, subject, MANY, WARM_UP_MS);
  }
  for (let round = 0; round < rounds; round++) {
    for (const { builds } of all) {
      // The first one may have it easier, so the builds take turns at that too.
      for (const { server, subject, measured } of round % 2 === 0 ? builds : builds.toReversed()) {
        measured.latenciesMs.push((await measureSlice(server, subject, 1, sliceMs)).latenciesMs);
        const many = await measureSlice(server, subject, MANY, sliceMs);
        measured.rates.push(many.perSecond);
        measured.cpus.push(many.cpuMs);
      }
    }
  }
  return all.map(({ name, builds: [own, other] }) => rowOf(name, own!.measured, other?.measured));
}

function rowOf(name: string, own: Measured, other: Measured | undefined): RequestRow {
  const { p50, p99 } = sampleOf(own.latenciesMs.flat());
  // The kernel tells processor time in hundredths of a second: single rounds are rough, their mean is not.
  const row = { name, p50Ms: p50, p99Ms: p99, perSecond: medianOf(own.rates), cpuMs: meanOf(own.cpus) };
  if (other === undefined) return row;
  const medians = ({ latenciesMs }: Measured) => latenciesMs.map(medianOf);
  const ratios = {
    p50: ratioOf(medians(own), medians(other)),
    perSecond: ratioOf(own.rates, other.rates),
    cpu: row.cpuMs / meanOf(other.cpus),
  };
  return { ...row, ratios };
}

/** The median of what the first of each pair needs of the second. */
function ratioOf(own: readonly number[], others: readonly number[]): number {
  return medianOf(own.map((value, i) => value / (others[i] ?? Number.NaN)));
}

async function measureSlice(server: Server, { name, requests, status }: Subject, connections: number, forMs: number) {
  const before = server.processorMs();
  const load = { url: server.url, requests, status, connections, forMs };
  const { latenciesMs, perSecond } = await runLoad(load).catch((error) => {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  });
  return { latenciesMs, perSecond, cpuMs: (server.processorMs() - before) / latenciesMs.length };
}
