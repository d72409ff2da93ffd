/** `/scans`. */
import { randomBytes } from 'node:crypto';
import type { PlanItemId } from '../../../shared/agent/plan.ts';
import {
  MAX_LISTED_SCANS,
  MAX_RUNNING_SCANS,
  type scans as operations,
  type Scan,
  SHORTEST_SCAN_PREFIX,
  scanRange,
  shardsOf,
} from '../../../shared/api/scans.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { formatRange } from '../../../shared/network.ts';
import type { Handlers } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import type { PlanTeller } from '../../monitoring/schedules/tell-plans.ts';
import { tellPlans } from '../../monitoring/schedules/tell-plans.ts';
import { requireKnown } from '../../sites/sites.ts';
import { cancel, isDone, isFailed } from './scan-progress.ts';
import { hostsByShard, scanDiff, shownHost } from './scan-results.ts';
import type { StoredScan } from './scan-store.ts';

type ScansContext = RequestContext<'jobs'> & PlanTeller;

export const scansHandlers: Handlers<typeof operations, ScansContext> = {
  async listScans(context, { site, reach }) {
    await requireKnown(context, reach, site);
    const { scans: found, unreadable } = await context.scans.list(site);
    return { success: true, scans: found.slice(0, MAX_LISTED_SCANS).map((scan) => shown(site, scan)), unreadable };
  },

  async startScan(context, call, { range: text, ...how }) {
    const { site, token, reach } = call;
    const { scans, sites, now } = context;
    await requireKnown(context, reach, site);
    const range = scanRange(text);
    if (range === null) {
      const message = `expected an IPv4 network such as 10.20.0.0/16, with a prefix of ${SHORTEST_SCAN_PREFIX} or more`;
      throw new ServiceError('validation_failed', `body.range: ${message}`, {
        fields: [{ path: 'body.range', message }],
      });
    }
    if (!(await sites.agents(site)).some(({ state }) => state === 'online'))
      throw new ServiceError('agent_offline', `No agent of site "${site}" is connected`, { retryAfter: 10 });
    const settings = { range: formatRange(range), ...how, startedAt: now().getTime(), createdBy: token.id };
    await requireRoom(context, site, settings.range, null);
    const id = randomBytes(6).toString('hex');
    const scan = await scans.add(site, id, settings, shardsOf(range, settings).length);
    // Again, because others may be started at the same time: the last of them sees all that stay.
    await requireRoom(context, site, settings.range, id).catch(async (error: unknown) => {
      await scans.remove(site, id);
      throw error;
    });
    await call.audit({ scan: id, range: settings.range, mode: how.mode, protocol: how.protocol ?? 'tcp' });
    await tellPlans(context, site);
    return { success: true, ...shown(site, scan) };
  },

  async getScan(context, { site, reach }, { scan: id }) {
    const { scans, jobs } = context;
    await requireKnown(context, reach, site);
    const scan = await scans.find(site, id);
    if (scan === null) throw notFound(id);
    const hosts = await hostsByShard(jobs, site, scan);
    const before = scan.state === 'done' ? await scanBefore(scans, site, scan) : null;
    const diff =
      before === null
        ? null
        : scanDiff({ scan, hosts }, { scan: before, hosts: await hostsByShard(jobs, site, before) });
    return { success: true, ...shown(site, scan), found: [...hosts.values()].flat().map(shownHost), diff };
  },

  async cancelScan(context, call, { scan: id }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    const changed = await context.scans.change(site, id, (before) => cancel(before, context.now().getTime()));
    if (changed === null) throw notFound(id);
    const { before, after } = changed;
    if (after !== before) {
      await call.audit({ scan: id, range: after.range, mode: after.mode, protocol: after.protocol ?? 'tcp' });
      await tellPlans(context, site);
    }
    return { success: true, ...shown(site, after) };
  },
};

const notFound = (id: PlanItemId) => new ServiceError('not_found', `The site has no scan ${id}`);

/** @param own the scan that is to have room, which may be there already */
async function requireRoom(
  { scans }: ScansContext,
  site: SiteId,
  range: string,
  own: PlanItemId | null,
): Promise<void> {
  const { scans: found } = await scans.list(site);
  const others = found.filter(({ id, state }) => state === 'running' && id !== own);
  const alike = others.find((scan) => scan.range === range);
  if (alike !== undefined)
    throw new ServiceError('conflict', `The network ${range} is being scanned already: see the scan ${alike.id}`);
  if (others.length < MAX_RUNNING_SCANS) return;
  throw new ServiceError(
    'conflict',
    `A site may have ${MAX_RUNNING_SCANS} scans at once: cancel one, or wait for its end`,
  );
}

/** The last scan of the same network, mode and protocol that came to its end before this one began. */
async function scanBefore(
  scans: ScansContext['scans'],
  site: SiteId,
  { range, mode, protocol = 'tcp', startedAt }: StoredScan,
): Promise<StoredScan | null> {
  const alike = ({ scans: found }: { scans: StoredScan[] }) =>
    found.find(
      (one) =>
        one.state === 'done' &&
        one.range === range &&
        one.mode === mode &&
        (one.protocol ?? 'tcp') === protocol &&
        one.startedAt < startedAt,
    );
  return alike(await scans.list(site)) ?? null;
}

function shown(
  site: SiteId,
  { id, range, mode, protocol = 'tcp', state, shards, problem, startedAt, endedAt, createdBy }: StoredScan,
): Scan {
  const [done, failed] = [shards.filter(isDone).length, shards.filter(isFailed).length];
  return {
    ...{ id, site, range, mode, protocol, state },
    shards: { total: shards.length, done, failed },
    percent: Math.floor(((done + failed) / shards.length) * 100),
    hosts: shards.reduce((sum, { hosts }) => sum + (hosts ?? 0), 0),
    problem,
    createdAt: new Date(startedAt).toISOString(),
    createdBy,
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}
