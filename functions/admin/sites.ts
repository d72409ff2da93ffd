/** Making a site, and asking whether there is one. */
import type { Token } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { requireSite } from '../auth/authenticate.ts';
import type { Context } from '../context.ts';
import { siteForbidden } from '../dynamodb/device-store.ts';

/** Adds a site and its empty collection. @returns false when there is such a site already */
export async function addSite(
  { sites, devices, now }: Pick<Context, 'sites' | 'devices' | 'now'>,
  site: { id: SiteId; name: string; createdAt: string },
): Promise<boolean> {
  // The collection first: a site that is listed can be used. A collection left over from a crash in between is empty.
  await devices.create(site.id, now());
  return sites.add(site);
}

/** @throws {ServiceError} `site_forbidden` when the token may not use the site, or there is none */
export async function requireKnown({ sites }: Pick<Context, 'sites'>, token: Token, site: SiteId): Promise<void> {
  requireSite(token, site);
  if ((await sites.find(site)) === null) throw new ServiceError('site_forbidden', siteForbidden(site));
}
