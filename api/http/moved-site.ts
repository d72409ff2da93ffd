/** A site that has moved to another deployment: here it can be read, until it is removed, and is not changed any more. */
import type { Site } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { SiteId } from '../../shared/identity.ts';
import type { SiteStore } from '../../store/access/site-store.ts';

/** @throws {ServiceError} `site_moved` */
export function requireHere(site: Pick<Site, 'id' | 'movedTo'> | null): void {
  if (site?.movedTo === undefined) return;
  const message = `The site "${site.id}" has moved to ${site.movedTo}: nothing can be changed here`;
  throw new ServiceError('site_moved', message);
}

/** The same of the site of a request, which need not exist. */
export async function requireSiteHere({ sites }: { sites: Pick<SiteStore, 'find'> }, site: string): Promise<void> {
  if (SiteId.safeParse(site).success) requireHere(await sites.find(site, { consistent: false }));
}
