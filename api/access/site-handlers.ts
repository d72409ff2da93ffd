/** `/sites`: settings, and the end of a site. */
import type { admin as operations } from '../../shared/api/admin.ts';
import type { Site } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import type { Context } from '../context/context.ts';
import { Answer } from '../http/answer.ts';
import { validationError } from '../http/errors.ts';
import type { Handlers } from '../http/routes.ts';
import { removeSite } from './remove-site.ts';
import { settingsMessage } from './settings-message.ts';
import { addSite, isWithin, requireKnown } from './sites.ts';

type SiteOperations = 'listSites' | 'addSite' | 'getSite' | 'changeSite' | 'removeSite';

/**
 * How long one request goes on with the removal of a site: callers see that something happens, and the function may run for
 * three minutes. What nobody asks for to the end is ended by `finish-removals.ts`.
 */
const REMOVE_WITHIN_MS = 15_000;

export const siteHandlers: Pick<Handlers<typeof operations>, SiteOperations> = {
  async listSites({ sites }, { token }, { limit, cursor }) {
    if (cursor !== undefined && !SiteId.safeParse(cursor).success) {
      throw validationError([{ path: 'query.cursor', message: 'expected the nextCursor of an earlier page' }]);
    }
    if (limit !== undefined) {
      const page = await sites.page(token.sites, cursor ?? null, limit);
      return { success: true, sites: page.sites, nextCursor: page.next };
    }
    const all = (await sites.list()).filter(({ id }) => isWithin([id], token) && (cursor === undefined || id > cursor));
    return { success: true, sites: all, nextCursor: null };
  },

  async addSite(context, { token, requestId, sourceAddress }, { id, name }) {
    if (token.sites !== '*') throw new ServiceError('site_forbidden', 'Only a token for all sites may add one');
    const site = { id, name: name ?? id, createdAt: context.now().toISOString() };
    const added = (await addSite(context, site)) ? await context.sites.find(id) : null;
    if (added === null) throw new ServiceError('conflict', await whyTaken(context, id));
    const detail = { name: site.name };
    await context.audit.record({ site: id, actor: token.id, action: 'site.add', detail, requestId, sourceAddress });
    return { success: true, ...added };
  },

  async getSite(context, { token }, { site }) {
    return { success: true, ...(await requireKnown(context, token, site)) };
  },

  async changeSite(context, { token, requestId, sourceAddress }, { site, name, discovery }) {
    const { sites, audit } = context;
    await requireKnown(context, token, site);
    const changed = await sites.change(site, ({ name: oldName, discovery: old }) => ({
      name: name ?? oldName,
      discovery: {
        enabled: discovery?.enabled ?? old.enabled,
        networks: discovery?.networks ?? old.networks,
        intervalSeconds: discovery?.intervalSeconds ?? old.intervalSeconds,
        ...gatewaysOf(discovery?.gateways ?? old.gateways),
      },
    }));
    if (changed === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    if (changed.after.revision !== changed.before.revision) {
      const detail = detailOf(changed.after);
      await audit.record({ site, actor: token.id, action: 'site.change', detail, requestId, sourceAddress });
    }
    await sites.updateStaleness(site);
    // Also when nothing has changed: the call may be made again because agents could not be told.
    await tellAgents(context, changed.after);
    return { success: true, ...(await requireKnown(context, token, site)) };
  },

  async removeSite(context, { token, requestId, sourceAddress }, { site, confirm }) {
    if (token.sites !== '*') throw new ServiceError('site_forbidden', 'Only a token for all sites may remove one');
    const found = await context.removals.find(site);
    if (found === null) throw new ServiceError('site_forbidden', siteForbidden(site));
    const { name } = found.site;
    if (confirm !== name) {
      const message = `expected the name of the site, ${JSON.stringify(name)}, for all that is in it will be deleted`;
      throw validationError([{ path: 'query.confirm', message }]);
    }
    if (found.row.removal === null) {
      // Before anything is done, and not in the log of the site, which nobody can read any more.
      const detail = { site, name };
      await context.audit.record({
        site: null,
        actor: token.id,
        action: 'site.remove',
        detail,
        requestId,
        sourceAddress,
      });
    }
    const until = Date.now() + REMOVE_WITHIN_MS;
    const isComplete = await removeSite(context, found.row, () => Date.now() >= until);
    if (isComplete) return { success: true, isComplete };
    return new Answer({ success: true, isComplete }, { status: 202, headers: { 'Retry-After': '1' } });
  },
};

async function whyTaken({ sites }: Pick<Context, 'sites'>, id: SiteId): Promise<string> {
  if ((await sites.find(id)) !== null) return `There is a site "${id}" already`;
  return `The site "${id}" is being removed. Finish that first: lanreach site remove ${id}, or DELETE /sites/${id}`;
}

/** The settings as they are now, for the audit. */
function detailOf({ name, discovery: { enabled, networks, intervalSeconds, gateways } }: Site) {
  const confirmed = gateways === undefined ? {} : { gateways: gateways.join(' ') };
  const watched = networks === 'auto' ? networks : networks.join(' ');
  return { name, discovery: enabled, networks: watched, intervalSeconds, ...confirmed };
}

async function tellAgents({ sites, registry }: Pick<Context, 'sites' | 'registry'>, site: Site): Promise<void> {
  const agents = await sites.agents(site.id);
  const connected = agents.filter(({ state }) => state === 'online' || state === 'draining');
  try {
    await Promise.all(connected.map(({ id }) => registry.publish(id, settingsMessage(site))));
  } catch (cause) {
    const message = 'The settings are stored, but not every agent could be told: make the call again to tell them now';
    throw new ServiceError('unavailable', message, { cause, retryAfter: 2 });
  }
}

function gatewaysOf(gateways: string[] | undefined): { gateways?: string[] } {
  return gateways === undefined ? {} : { gateways };
}
