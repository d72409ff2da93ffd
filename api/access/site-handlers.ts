/** `/sites`: settings, and the end of a site. */
import type { DiscoverySettings } from '../../shared/agent/discovery.ts';
import type { Site } from '../../shared/api/records.ts';
import type { sites as operations } from '../../shared/api/sites.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import type { AccessContext, BaseContext } from '../context/context.ts';
import type { Handler, Handlers, TokenCall } from '../http/call.ts';
import { validationError } from '../http/errors.ts';
import { etagOf, namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { reachIn } from '../monitoring/many-sites.ts';
import { syncPlans } from '../monitoring/plans.ts';
import { appliedBy, applyAfterChange } from '../templates/apply.ts';
import { removeSite } from './remove-site.ts';
import { addSite, requireKnown } from './sites.ts';
import { tellSettings } from './tell-settings.ts';

/**
 * How long one request goes on with the removal of a site: callers see that something happens, and the function may run for
 * three minutes. What nobody asks for to the end is ended by `finish-removals.ts`.
 */
const REMOVE_WITHIN_MS = 15_000;

/** Assistants call it as well, by a function that may do nothing else with sites. */
export const listSitesHandler: Handler<(typeof operations)['listSites'], BaseContext> = async (
  { sites },
  { reach: whole },
  { sites: named, limit, cursor },
) => {
  const reach = reachIn(named, whole);
  if (cursor !== undefined && !SiteId.safeParse(cursor).success) {
    throw validationError([{ path: 'query.cursor', message: 'expected the nextCursor of an earlier page' }]);
  }
  if (limit !== undefined) {
    const page = await sites.page(reach, cursor ?? null, limit);
    return { success: true, sites: page.sites, nextCursor: page.next };
  }
  const all = (await sites.list()).filter((site) => reach.has(site) && (cursor === undefined || site.id > cursor));
  return { success: true, sites: all, nextCursor: null };
};

export const siteHandlers: Handlers<typeof operations, AccessContext> = {
  listSites: listSitesHandler,

  async addSite(context, call, { id, name, tags = [] }) {
    if (!call.reach.isAll) throw new ServiceError('site_forbidden', 'Only a token for all sites may add one');
    const site = { id, name: name ?? id, tags: sortedTags(tags), createdAt: context.now().toISOString() };
    const added = (await addSite(context, site)) ? await context.sites.find(id) : null;
    if (added === null) throw new ServiceError('conflict', await whyTaken(context, id));
    const tagged = site.tags.length === 0 ? {} : { tags: site.tags.join(' ') };
    await call.audit({ name: site.name, ...tagged }, { site: id });
    await applyAfterChange(context, id, appliedBy(call));
    return { success: true, ...(await requireKnown(context, call.reach, id)) };
  },

  async getSite(context, { reach }, { site }) {
    return answer(await requireKnown(context, reach, site));
  },

  async changeSite(context, call, { site, name, tags, discovery, timeZone, reachableAt, updates, policy }) {
    const { sites } = context;
    await requireKnown(context, call.reach, site);
    // Who sets tags decides which tokens, roles and templates of others reach the site.
    if (tags !== undefined && !call.reach.isAll)
      throw new ServiceError('site_forbidden', 'Only a token for all sites may set the tags of one');
    const changed = await sites.change(site, ({ name: oldName, discovery: old, ...before }) => {
      checkUnchanged(call, before);
      return {
        name: name ?? oldName,
        tags: tags === undefined ? before.tags : sortedTags(tags),
        timeZone: timeZone ?? before.timeZone,
        reachableAt: reachableAt === undefined ? before.reachableAt : reachableAt,
        updates: {
          mode: updates?.mode ?? before.updates.mode,
          window: updates?.window === undefined ? before.updates.window : updates.window,
        },
        policy: policy === undefined ? before.policy : (policy ?? undefined),
        discovery: {
          enabled: discovery?.enabled ?? old.enabled,
          networks: discovery?.networks ?? old.networks,
          intervalSeconds: discovery?.intervalSeconds ?? old.intervalSeconds,
          ...gatewaysOf(discovery?.gateways ?? old.gateways),
          ...chosen({ ...old, ...discovery }),
        },
      };
    });
    if (changed === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    if (changed.after.revision !== changed.before.revision) await call.audit(detailOf(changed.after), { site });
    await sites.updateStaleness(site);
    // Also when nothing has changed: the call may be made again because agents could not be told.
    await tellSettings(context, changed.after);
    await syncPlans(context, site, (agent, message) => context.registry.publish(agent, message), context.now());
    await applyAfterChange(context, site, appliedBy(call));
    return answer(await requireKnown(context, call.reach, site));
  },

  async removeSite(context, call, { site, confirm }) {
    if (!call.reach.isAll) throw new ServiceError('site_forbidden', 'Only a token for all sites may remove one');
    const found = await context.removals.find(site);
    if (found === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    const { name } = found.site;
    if (confirm !== name) {
      const message = `expected the name of the site, ${JSON.stringify(name)}, for all that is in it will be deleted`;
      throw validationError([{ path: 'query.confirm', message }]);
    }
    // Before anything is done, and not in the audit of the site, which no token can read any more.
    if (found.row.removal === null) await call.audit({ site, name });
    const until = Date.now() + REMOVE_WITHIN_MS;
    const isComplete = await removeSite(context, found.row, () => Date.now() >= until);
    if (isComplete) return { success: true, isComplete };
    return new HandlerResult({ success: true, isComplete }, { status: 202, headers: { 'Retry-After': '1' } });
  },
};

/** The first part of the ETag is of the settings alone: whether an agent is connected is no change of them. */
function answer(site: Site): HandlerResult {
  const body = { success: true, ...site };
  const etag = `"${site.revision}.${etagOf(body).slice(1)}`;
  return new HandlerResult(body, { headers: { ETag: etag, 'Cache-Control': 'private, no-cache' } });
}

function checkUnchanged({ ifMatch }: TokenCall, { revision }: Pick<Site, 'revision'>): void {
  if (ifMatch === null || namesEtag(ifMatch.replaceAll(/\.[\w-]*"/g, '"'), `"${revision}"`)) return;
  const message = 'The settings of the site have been changed since they were read (If-Match): read them again';
  throw new ServiceError('precondition_failed', message);
}

async function whyTaken({ sites }: Pick<AccessContext, 'sites'>, id: SiteId): Promise<string> {
  if ((await sites.find(id)) !== null) return `There is a site "${id}" already`;
  return `The site "${id}" is being removed. Finish that first: lanreach site remove ${id}, or DELETE /sites/${id}`;
}

export function sortedTags(tags: readonly string[]): string[] {
  return [...new Set(tags)].sort();
}

/** The settings as they are now, for the audit. */
function detailOf({ name, tags, discovery, updates: { mode, window }, policy }: Site) {
  const { enabled, networks, intervalSeconds, gateways } = discovery;
  const confirmed = gateways === undefined ? {} : { gateways: gateways.join(' ') };
  const watched = networks === 'auto' ? networks : networks.join(' ');
  const updates = { updates: mode, ...(window === null ? {} : { updatesWindow: `${window.from}-${window.to}` }) };
  return {
    name,
    ...(tags.length === 0 ? {} : { tags: tags.join(' ') }),
    discovery: enabled,
    networks: watched,
    intervalSeconds,
    ...confirmed,
    ...chosen(discovery),
    ...updates,
    ...(policy === undefined ? {} : { deny: policy.deny.join(' '), maxScanAddresses: policy.maxScanAddresses }),
  };
}

/** Of the settings that have a default, those that somebody has chosen. */
function chosen({
  recognize,
  archiveRandomAfterDays,
  acceptParents,
}: Pick<DiscoverySettings, 'recognize' | 'archiveRandomAfterDays' | 'acceptParents'>) {
  return {
    ...(recognize === undefined ? {} : { recognize }),
    ...(archiveRandomAfterDays === undefined ? {} : { archiveRandomAfterDays }),
    ...(acceptParents === undefined ? {} : { acceptParents }),
  };
}

function gatewaysOf(gateways: string[] | undefined): { gateways?: string[] } {
  return gateways === undefined ? {} : { gateways };
}
