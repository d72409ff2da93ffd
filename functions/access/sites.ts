/** `/sites`, and the check that a token may use a site that exists. */
import type { admin as operations } from '../../shared/api/admin.ts';
import type { Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Context } from '../context/context.ts';
import { siteForbidden } from '../dynamodb/collection-row.ts';
import { requireSite } from '../http/authenticate.ts';
import type { Handlers } from '../http/routes.ts';

export const siteHandlers: Pick<Handlers<typeof operations>, 'listSites' | 'addSite'> = {
  async listSites({ sites }, call) {
    const all = await sites.list();
    return { success: true, sites: all.filter(({ id }) => isWithin([id], call.token)) };
  },

  async addSite(context, call, { id, name }) {
    if (call.token.sites !== '*') throw new ServiceError('site_forbidden', 'Only a token for all sites may add one');
    const site = { id, name: name ?? id, createdAt: context.now().toISOString() };
    if (!(await addSite(context, site))) throw new ServiceError('conflict', `A site "${id}" exists already`);
    const detail = { name: site.name };
    await context.audit.record({
      site: id,
      actor: call.token.id,
      action: 'site.add',
      detail,
      requestId: call.requestId,
    });
    return { success: true, ...site };
  },
};

/** Adds a site and its empty collection. @returns false when the site exists already */
export async function addSite(
  { sites, devices, now }: Pick<Context, 'sites' | 'devices' | 'now'>,
  site: { id: SiteId; name: string; createdAt: string },
): Promise<boolean> {
  // The collection is created first, because a site that is listed must be usable. If a crash leaves it without a site,
  // it is empty.
  await devices.create(site.id, now());
  return sites.add(site);
}

/** @throws {ServiceError} `site_forbidden` when the token may not use the site, or the site does not exist */
export async function requireKnown({ sites }: Pick<Context, 'sites'>, token: Token, site: SiteId): Promise<void> {
  requireSite(token, site);
  if ((await sites.find(site)) === null) throw new ServiceError('site_forbidden', siteForbidden(site));
}

/** Whether a token may use all of these sites. */
export function isWithin(sites: Token['sites'], { sites: own }: Token): boolean {
  return own === '*' || (sites !== '*' && sites.every((site) => own.includes(site)));
}
