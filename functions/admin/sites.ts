/** Making a site. */
import type { SiteId } from '../../shared/identity.ts';
import type { Context } from '../context.ts';

/** Adds a site and its empty collection. @returns false when there is such a site already */
export async function addSite(
  { sites, devices, now }: Pick<Context, 'sites' | 'devices' | 'now'>,
  site: { id: SiteId; name: string; createdAt: string },
): Promise<boolean> {
  // The collection first: a site that is listed can be used. A collection left over from a crash in between is empty.
  await devices.create(site.id, now());
  return sites.add(site);
}
