/** `/metrics`: figures of the sites from the database, and the counters of this process. */
import { MAX_LISTED_DEVICES, type metrics as operations } from '../../shared/api/metrics.ts';
import { categoryCounts } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { AgentId, SiteId } from '../../shared/identity.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { Handlers } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import { EncodedBody } from '../http/encoded-body.ts';
import { etagOf } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import type { Reach } from '../http/reach.ts';
import { formatFamilies, PROMETHEUS_TEXT } from '../http/text-format.ts';
import { reachIn } from '../sites/many-sites.ts';
import { readSiteState, readSites } from '../sites/site-state.ts';
import { reachedSites, requireReached } from '../sites/sites.ts';
import {
  type CheckNumbers,
  checkFamilies,
  deviceFamilies,
  type ListedDevice,
  type SiteNumbers,
  siteFamilies,
} from './site-families.ts';

type MetricsContext = RequestContext<'checks' | 'devices' | 'series' | 'siteStates'>;

export const metricsHandlers: Handlers<typeof operations, MetricsContext> = {
  async getMetrics(context, { reach: whole }, { site, sites: named, devices }) {
    const reach = reachIn(named, whole);
    const sites = await sitesOf(context, reach, site);
    const known = await readSites(sites, (id) => numbersOf(context, id));
    if (site !== undefined && known.length === 0) throw new ServiceError('site_forbidden', siteForbidden(site));
    const checks = await readSites(known, ({ site: id, names }) => checksOf(context, id, names));
    const families = [
      ...siteFamilies(known, context.settings.version),
      ...checkFamilies(checks.flat()),
      ...(devices === 'true' ? await listDevices(context, known) : []),
      // The counters are about the requests and commands of all sites together.
      ...(reach.isAll && site === undefined ? (context.counters?.families() ?? []) : []),
    ];
    const text = formatFamilies(families);
    const body = new EncodedBody(() => [text], { contentType: PROMETHEUS_TEXT, etag: etagOf(text) });
    return new HandlerResult(body, { headers: { 'Cache-Control': 'no-store' } });
  },
};

async function sitesOf(context: MetricsContext, reach: Reach, named: SiteId | undefined): Promise<readonly SiteId[]> {
  if (named !== undefined) {
    await requireReached(context, reach, named);
    return [named];
  }
  return reachedSites(context, reach);
}

/** With the ids of its agents. */
type KnownSite = SiteNumbers & { names: AgentId[] };

async function numbersOf(context: MetricsContext, site: SiteId): Promise<KnownSite> {
  const { counts, agents, staleSince, troubles } = await readSiteState(context, site);
  return {
    site,
    names: agents.map(({ id }) => id),
    counts: counts ?? categoryCounts((await context.devices.totals(site)).counts),
    agents,
    isStale: staleSince !== null,
    outages: troubles.outages.filter(({ overAt }) => overAt === null).length,
    checksDown: Object.keys(troubles.downSince).length,
    hasInternet: troubles.internetLostSince === null,
  };
}

/** Checks without a measurement for longer are left out. */
const LATELY_S = 900;

/** One query for the checks, and one for the last run at each agent. A site without checks costs one read unit. */
async function checksOf(
  { checks, series, now }: MetricsContext,
  site: SiteId,
  agents: AgentId[],
): Promise<CheckNumbers[]> {
  const known = new Map((await checks.list(site)).checks.map((check) => [check.id, check]));
  if (known.size === 0) return [];
  const longest = Math.max(...[...known.values()].map(({ everySeconds }) => everySeconds));
  const second = now().getTime() / 1000;
  return (await series.lastRuns(agents, longest)).flatMap(({ agent, check, run }) => {
    const made = known.get(check);
    if (made === undefined || run.at + made.everySeconds + LATELY_S < second) return [];
    const rttS = run.failed > 0 ? null : run.rttSum / 1_000_000;
    return [{ site, agent, check, name: made.label, rttS, loss: run.lost / run.sent }];
  });
}

/** Site by site, because a collection can be large. */
async function listDevices({ devices }: MetricsContext, sites: readonly SiteNumbers[]) {
  const listed: ListedDevice[] = [];
  for (const { site } of sites) {
    if (listed.length >= MAX_LISTED_DEVICES) break;
    const snapshot = await devices.snapshot(site);
    const room = MAX_LISTED_DEVICES - listed.length;
    listed.push(...snapshot.devices.slice(0, room).map(({ record }) => ({ site, record })));
  }
  return deviceFamilies(listed);
}
