/**
 * `/overview`: what a person wants to see first, of every site.
 *
 * It reads small rows only, however many devices there are: per site two and a half read units, see `readSiteState`, and
 * the row of the site, about a fifteenth of a read unit with a token for all sites, and one read unit with a token for
 * certain sites; and half a read unit where agents of a site replace themselves. A 304 costs the same, without the body.
 */
import type { Unreadable } from '../../shared/api/operation.ts';
import type { overview as operations, SiteOverview } from '../../shared/api/overview.ts';
import type { Site } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { Handlers } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import { checkCursor } from '../http/errors.ts';
import { etagOf } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { reachOf } from '../http/reach.ts';
import type { SiteState } from '../monitoring/outages/site-state.ts';
import { agentLister, type ListAgents } from '../sites/agents/releases/listed-agents.ts';
import type { ReleaseSource } from '../sites/agents/releases/release-source.ts';
import { reachIn } from '../sites/many-sites.ts';
import { readSiteState, readSites } from '../sites/site-state.ts';
import { requireReached } from '../sites/sites.ts';

type OverviewContext = RequestContext<'devices' | 'siteStates' | 'rollOuts'> & { releases?: ReleaseSource };

export const overviewHandlers: Handlers<typeof operations, OverviewContext> = {
  async getOverview(context, { reach: whole }, { site, sites: named, limit, cursor }) {
    const reach = reachIn(named, whole);
    checkCursor(cursor === undefined || SiteId.safeParse(cursor).success);
    if (site !== undefined) await requireReached(context, reach, site);
    const page = await context.sites.page(site === undefined ? reach : reachOf([[site]]), cursor ?? null, limit);
    if (site !== undefined && page.sites.length + page.unreadable.length === 0)
      throw new ServiceError('site_forbidden', siteForbidden(site));
    const listed = await agentLister(context, page.sites);
    const entries = await readSites(page.sites, (site) => entryOf(context, site, listed));
    const body = {
      success: true as const,
      sites: entries.flatMap(({ shown }) => shown),
      unreadable: [...page.unreadable, ...entries.flatMap(({ unreadable }) => unreadable)],
      nextCursor: page.next,
    };
    return new HandlerResult(body, { headers: { ETag: etagOf(body), 'Cache-Control': 'private, no-cache' } });
  },
};

/** A site whose rows cannot be read is named, and hides no other. */
async function entryOf(
  context: OverviewContext,
  site: Site,
  listed: ListAgents,
): Promise<{ shown: SiteOverview[]; unreadable: Unreadable[] }> {
  try {
    const { counts, lastChangeAt, seen, agents, unreadable, troubles } = await readSiteState(context, site.id);
    const shown = listed(site, agents).map(
      ({ id, state, since, offlineReason, host, version, load, update, updateAvailable, ring }) => ({
        ...{ id, state, since, offlineReason, host, version, load, update, updateAvailable, ring },
      }),
    );
    const { unknown, ...live } = seen ?? { unknown: null };
    const devices = counts && { ...counts, ...live };
    const entry = { ...site, devices, lastChangeAt, unknown, agents: shown, ...shownTroubles(troubles) };
    return { shown: [entry], unreadable };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return { shown: [], unreadable: [{ id: site.id, problem: problemOf(error) }] };
  }
}

function shownTroubles({ outages, internetLostSince, address, speeds, slowSince, downSince, darkSince }: SiteState) {
  const open = outages.filter(({ overAt }) => overAt === null);
  const last = speeds.at(-1);
  return {
    darkSince: timeOf(darkSince),
    outages: {
      open: open.length,
      devices: open.reduce((sum, { count }) => sum + count, 0),
      since: timeOf(open.length === 0 ? null : Math.min(...open.map(({ at }) => at))),
    },
    internet: {
      lostSince: timeOf(internetLostSince),
      address: address?.address ?? null,
      provider: address?.provider ?? null,
      speed:
        last === undefined
          ? null
          : {
              ...{ at: new Date(last.at).toISOString(), downMbps: last.down, upMbps: last.up, pingMs: last.ping },
              slowSince: timeOf(slowSince),
            },
    },
    checksDown: Object.keys(downSince).length,
  };
}

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
