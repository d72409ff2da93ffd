/** `/sites`: settings, deletion and restoration. */
import type { Site } from '../../shared/api/records.ts';
import type { sites as operations } from '../../shared/api/sites.ts';
import { ServiceError } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { SiteId } from '../../shared/identity.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import { placeAll } from '../devices/place-all.ts';
import { changesBetween } from '../http/audit-log.ts';
import type { Handler, Handlers, TokenCall } from '../http/call.ts';
import { requireScope } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { checkCursor, invalid } from '../http/errors.ts';
import { etagOf, namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { syncPlans } from '../monitoring/schedules/plans.ts';
import type { Stores } from '../stores.ts';
import { appliedBy, applyAfterChange, type TemplateContext } from '../templates/apply.ts';
import { publishSettings } from './agents/settings-message.ts';
import { type Deletion, restorableUntil } from './deletion-store.ts';
import { reachIn } from './many-sites.ts';
import { type DeletionContext, deleteSite, restoreSite } from './site-deletion.ts';
import { addSite, requireKnown } from './sites.ts';

/** For the list of sites, the only operation here that assistants call. */
export type ListContext = RequestContext<'deletions'>;
export type SitesContext = ListContext & DeletionContext & TemplateContext;

export const listSitesHandler: Handler<(typeof operations)['listSites'], ListContext> = async (
  { sites, deletions },
  { reach: whole, token },
  { sites: named, deleted, limit, cursor },
) => {
  const reach = reachIn(named, whole);
  checkCursor(cursor === undefined || SiteId.safeParse(cursor).success);
  const isListed = (site: Site) => reach.has(site) && (cursor === undefined || site.id > cursor);
  if (deleted) {
    requireScope(token, 'admin');
    if (!whole.isAll)
      throw new ServiceError('site_forbidden', 'Only a token for all sites may see those that are deleted');
    const found = (await deletions.list()).flatMap(({ site, deletion }) =>
      site !== null && isListed(site) ? [{ ...site, deletion: shownDeletion(deletion) }] : [],
    );
    const page = found.slice(0, limit);
    return { success: true, sites: page, nextCursor: page.length < found.length ? (page.at(-1)?.id ?? null) : null };
  }
  if (limit !== undefined) {
    const page = await sites.page(reach, cursor ?? null, limit);
    return { success: true, sites: page.sites, nextCursor: page.next };
  }
  return { success: true, sites: (await sites.list()).filter(isListed), nextCursor: null };
};

export const siteHandlers: Handlers<typeof operations, SitesContext> = {
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
    // Tags decide which tokens, roles and templates of others reach the site.
    if (tags !== undefined && !call.reach.isAll)
      throw new ServiceError('site_forbidden', 'Only a token for all sites may set the tags of one');
    const changed = await sites.change(site, ({ name: oldName, discovery: old, ...before }) => {
      checkUnchanged(call, before);
      return {
        name: name ?? oldName,
        tags: tags === undefined ? before.tags : sortedTags(tags),
        timeZone: timeZone ?? before.timeZone,
        reachableAt: reachableAt === undefined ? before.reachableAt : reachableAt,
        updates: { ...before.updates, ...given({ ...updates }) },
        policy: policy === undefined ? before.policy : (policy ?? undefined),
        discovery: { ...old, ...given({ ...discovery }) },
      };
    });
    if (changed === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    if (changed.after.revision !== changed.before.revision) {
      const [old, detail] = [detailOf(changed.before), detailOf(changed.after)];
      await call.audit(detail, { site, changes: changesBetween(old, detail) });
    }
    await sites.updateStaleness(site);
    await placeAll(context.devices, changed, call.token.id);
    // Also without a change: the call may be a retry after a failed notification of agents.
    await publishSettings(context, changed.after);
    await syncPlans(context, site, (agent, message) => context.registry.publish(agent, message), context.now());
    await applyAfterChange(context, site, appliedBy(call));
    return answer(await requireKnown(context, call.reach, site));
  },

  async removeSite(context, call, { site, confirm }) {
    if (!call.reach.isAll) throw new ServiceError('site_forbidden', 'Only a token for all sites may remove one');
    const found = await context.deletions.find(site);
    if (found === null || found.deletion !== null) throw new ServiceError('site_forbidden', siteForbidden(site));
    const { name } = found.site;
    if (confirm !== name) {
      const message = `expected the name of the site, ${JSON.stringify(name)}, because all that is in it is deleted`;
      throw invalid('query.confirm', message);
    }
    // Before any change, and not in the audit of the site, which no token can read afterwards.
    await call.audit({ site, name });
    const deletion = await deleteSite(context, found.site, call.token.id);
    if (deletion === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    return { success: true, ...shownDeletion(deletion) };
  },

  async restoreSite(context, call, { site }) {
    if (!call.reach.isAll) throw new ServiceError('site_forbidden', 'Only a token for all sites may restore one');
    const found = await context.deletions.find(site);
    if (found === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    const { deletion } = found;
    if (deletion === null) throw new ServiceError('conflict', `The site "${site}" is not deleted`);
    const until = restorableUntil(deletion);
    const isTimely = context.now().getTime() < until;
    if (isTimely) await call.audit({ site, name: found.site.name });
    if (isTimely && (await restoreSite(context, found.site, deletion)))
      return { success: true, ...(await requireKnown(context, call.reach, site)) };
    const message = `The site "${site}" could be restored until ${new Date(until).toISOString()}, and is being removed for good`;
    throw new ServiceError('conflict', message);
  },
};

function shownDeletion(deletion: Deletion) {
  return {
    deletedAt: new Date(deletion.at).toISOString(),
    deletedBy: deletion.by,
    restorableUntil: new Date(restorableUntil(deletion)).toISOString(),
  };
}

/** The first part of the ETag is the revision of the settings, which a connected agent does not change. */
function answer(site: Site): HandlerResult {
  const body = { success: true, ...site };
  const etag = `"${site.revision}.${etagOf(body).slice(1)}`;
  return new HandlerResult(body, { headers: { ETag: etag, 'Cache-Control': 'private, no-cache' } });
}

export function checkUnchanged({ ifMatch }: Pick<TokenCall, 'ifMatch'>, { revision }: Pick<Site, 'revision'>): void {
  const isThere = revision > 0 || ifMatch !== '*';
  if (ifMatch === null || (isThere && namesEtag(ifMatch.replaceAll(/\.[\w-]*"/g, '"'), `"${revision}"`))) return;
  const message = 'The settings of the site have been changed since they were read (If-Match): read them again';
  throw new ServiceError('precondition_failed', message);
}

async function whyTaken({ deletions, now }: Pick<Stores, 'deletions'> & { now(): Date }, id: SiteId): Promise<string> {
  const deletion = (await deletions.find(id))?.deletion ?? null;
  if (deletion === null) return `There is a site "${id}" already`;
  const until = restorableUntil(deletion);
  if (until <= now().getTime())
    return `The site "${id}" is deleted, and is being removed for good; try again in an hour`;
  return `The site "${id}" is deleted, and its id is free after ${new Date(until).toISOString()}. To bring it back: lanreach site restore ${id}, or POST /sites/${id}/restore`;
}

export const sortedTags = (tags: readonly string[]): string[] => [...new Set(tags)].sort();

/** The current settings, for the audit. */
function detailOf({ name, tags, timeZone, reachableAt, discovery, updates: { mode, window }, policy }: Site) {
  const { enabled, networks, intervalSeconds, gateways, recognize, archiveRandomAfterDays, acceptParents } = discovery;
  return {
    name,
    ...(tags.length === 0 ? {} : { tags: tags.join(' ') }),
    timeZone,
    ...(reachableAt === null ? {} : { reachableAt }),
    discovery: enabled,
    networks: networks === 'auto' ? networks : networks.join(' '),
    intervalSeconds,
    ...given({ gateways: gateways?.join(' '), recognize, archiveRandomAfterDays, acceptParents }),
    updates: mode,
    ...(window === null ? {} : { updatesWindow: `${window.from}-${window.to}` }),
    ...(policy === undefined ? {} : { deny: policy.deny.join(' '), maxScanAddresses: policy.maxScanAddresses }),
  };
}
