/** Creating a site, and the check that a token may use a site that exists. */
import type { Site, Token } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { NewSite } from '../../store/access/site-store.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import type { BaseContext } from '../context/context.ts';
import { requireSite } from '../http/authenticate.ts';

/** Adds a site and its empty collection. @returns false when the site exists already, or is being removed */
export async function addSite(
  { sites, devices, now }: Pick<BaseContext, 'sites' | 'devices' | 'now'>,
  site: NewSite,
): Promise<boolean> {
  if (await sites.isTaken(site.id)) return false;
  // The collection is created first, because a site that is listed must be usable. If a crash leaves it without a site,
  // it is empty.
  await devices.create(site.id, now());
  return sites.add(site);
}

/**
 * The site, if the token may use it.
 * @throws {ServiceError} `site_forbidden` when the token may not use the site, or the site does not exist
 */
export async function requireKnown({ sites }: Pick<BaseContext, 'sites'>, token: Token, site: SiteId): Promise<Site> {
  requireSite(token, site);
  const found = await sites.find(site);
  if (found === null) throw new ServiceError('site_forbidden', siteForbidden(site));
  return found;
}

/** Whether a token may use all of these sites. */
export function isWithin(sites: Token['sites'], { sites: own }: Token): boolean {
  return own === '*' || (sites !== '*' && sites.every((site) => own.includes(site)));
}
