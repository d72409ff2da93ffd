/** `/series`. */
import type { Input } from '../../../shared/api/operation.ts';
import {
  MAX_POINTS,
  type OneSeries,
  type series as operations,
  RESOLUTIONS,
  type Resolution,
} from '../../../shared/api/series.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { secondOf } from '../../../shared/time.ts';
import { csvLines } from '../../devices/csv.ts';
import type { Handlers, SiteCall } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import type { CsvCells } from '../../http/csv-text.ts';
import { invalid } from '../../http/errors.ts';
import { HandlerResult } from '../../http/handler-result.ts';
import { StreamedFile } from '../../http/streamed-file.ts';
import { requireKnown } from '../../sites/sites.ts';
import { openPresenceStore } from './presence-store.ts';
import { addressSeries, checkSeries, presenceSeries, type Shown, speedSeries } from './series-columns.ts';

type SeriesContext = RequestContext<'checks' | 'devices' | 'months' | 'series'>;

type Query = Input<(typeof operations)['getSeries']>;

export const seriesHandlers: Handlers<typeof operations, SeriesContext> = {
  async getSeries(context, call, query) {
    const { since, until, series, summary } = await read(context, call, query);
    return { success: true, since: timeOf(since), until: timeOf(until), series, summary };
  },

  async exportSeries(context, call, { bom, ...query }) {
    const { series } = await read(context, call, query);
    const columns = series[0]?.columns.map(({ name }) => name) ?? [];
    const lines = series.flatMap(linesOf);
    async function* pieces() {
      yield* csvLines(['time', 'agent', ...columns], lines, (line) => line, bom);
    }
    const headers = { 'Content-Disposition': 'attachment; filename=series.csv' };
    return new HandlerResult(new StreamedFile(pieces, 'text/csv; charset=utf-8'), { headers });
  },
};

const DAY = 86_400;
const LONGEST = RESOLUTIONS['1d'].keepDays * DAY;
/** Allows for rounding by the caller, the duration of the request, and the unfinished bucket. */
const SLACK = 3_600;
const FEW_POINTS = 1_500;

/** Unix, s. */
interface Range {
  since: number;
  until: number;
}

async function read(context: SeriesContext, { site, reach }: SiteCall, query: Query): Promise<Shown & Range> {
  await requireKnown(context, reach, site);
  const now = Math.floor(context.now().getTime() / 1000);
  const until = query.until === undefined ? now : secondOf(query.until);
  const since = query.since === undefined ? until - DAY : secondOf(query.since);
  if (since >= until) throw invalid('query.until', 'expected a time after since');
  const kept = { since: Math.max(since, now - LONGEST), until: Math.min(until, now) };
  return { since, until, ...(await shown(context, site, query, kept, now)) };
}

function shown(context: SeriesContext, site: SiteId, query: Query, range: Range, now: number): Promise<Shown> {
  if (query.check !== undefined) return ofCheck(context, site, query.check, query, range, now);
  if (query.device !== undefined) return ofDevice(context, site, query.device, query, range, now);
  return ofConnection(context, site, query, range);
}

async function ofCheck(
  { series, checks, sites }: SeriesContext,
  site: SiteId,
  check: string,
  query: Query,
  range: Range,
  now: number,
): Promise<Shown> {
  const [known, all] = await Promise.all([checks.find(site, check), sites.agentIds(site)]);
  const agents = all.filter((id) => query.agent === undefined || nameOfAgent(id) === query.agent);
  const resolution = query.resolution ?? finest(range, now, ['raw', '5m', '1h', '1d']);
  const found = await Promise.all(
    agents.map(async (agent) => {
      const buckets = await series.read({ agent, check, resolution, ...range });
      return [nameOfAgent(agent), buckets.slice(-MAX_POINTS)] as const;
    }),
  );
  // Measurements of a removed check are still kept.
  if (known === null && found.every(([, buckets]) => buckets.length === 0))
    throw new ServiceError('not_found', `There is no check ${check} on site "${site}"`);
  return checkSeries(new Map(found), resolution);
}

async function ofDevice(
  { devices, now: clock }: SeriesContext,
  site: SiteId,
  device: string,
  query: Query,
  range: Range,
  now: number,
): Promise<Shown> {
  const known = (await devices.snapshot(site)).deviceOf(device);
  if (known === undefined) throw new ServiceError('not_found', `There is no device ${device} on site "${site}"`);
  const resolution = query.resolution ?? finest(range, now, ['5m', '1h', '1d']);
  const { seconds } = RESOLUTIONS[resolution];
  if (seconds === null) throw invalid('query.resolution', 'expected 5m, 1h or 1d for a device');
  const from = Math.max(range.since, now - RESOLUTIONS[resolution].keepDays * DAY);
  const span = { from, until: Math.max(from, range.until) };
  const states = span.until === from ? [] : await openPresenceStore(devices, clock).read(site, known.key, span);
  return presenceSeries(states, span, resolution, seconds);
}

async function ofConnection({ months }: SeriesContext, site: SiteId, query: Query, range: Range): Promise<Shown> {
  const isWanted = ({ agent }: { agent: string }) => query.agent === undefined || agent === query.agent;
  if (query.of === 'address') return addressSeries((await months.addresses(site, range)).filter(isWanted));
  return speedSeries((await months.speeds(site, range)).filter(isWanted).slice(-MAX_POINTS));
}

/** The finest resolution that is kept for the range and has few points; otherwise the coarsest. */
function finest({ since, until }: Range, now: number, among: readonly Resolution[]): Resolution {
  const fits = (resolution: Resolution) => {
    const { seconds, keepDays } = RESOLUTIONS[resolution];
    const isKept = since >= now - keepDays * DAY - SLACK;
    return isKept && (until - since) / (seconds ?? 60) <= FEW_POINTS;
  };
  return among.find(fits) ?? '1d';
}

function linesOf({ agent, times, columns }: OneSeries): CsvCells[] {
  return times.map((time, i) => ({
    time: timeOf(time),
    agent: agent ?? '',
    ...Object.fromEntries(columns.map(({ name, values }) => [name, values[i] ?? ''])),
  }));
}

const timeOf = (second: number) => new Date(second * 1000).toISOString();
