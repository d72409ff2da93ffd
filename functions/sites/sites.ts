/**
 * The creation of sites, and the check that a caller may use an existing site.
 * @promise A site that is absent, deleted or out of reach answers with the same 403: `test/api/sites.test.ts`,
 *   `test/api/admin.test.ts`.
 */
import type { Site } from '../../shared/api/records.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { type SiteId, type SiteRef, tagOfRef } from '../../shared/identity.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { Reach } from '../http/reach.ts';
import type { Stores } from '../stores.ts';
import type { NewSite, SiteStore } from './site-store.ts';

/** Adds a site and its empty collection. @returns false when the id is taken, possibly by a deleted site */
export async function addSite(
  { sites, devices, now }: Pick<Stores, 'sites' | 'devices'> & { now(): Date },
  site: NewSite,
): Promise<boolean> {
  if (await sites.isTaken(site.id)) return false;
  // The collection first, because a listed site must be usable. A crash leaves at worst an empty collection.
  await devices.create(site.id, now());
  return sites.add(site);
}

/** @throws {ServiceError} `site_forbidden` when the site does not exist, or is out of reach */
export async function requireKnown({ sites }: Pick<Stores, 'sites'>, reach: Reach, site: SiteId): Promise<Site> {
  const found = reach.knows(site) === false ? null : await sites.find(site);
  if (found === null || !reach.has(found)) throw new ServiceError('site_forbidden', siteForbidden(site));
  return found;
}

/** The ids of all sites in reach; of a reach that names them, also of missing sites. */
export async function reachedSites({ sites }: Pick<Stores, 'sites'>, reach: Reach): Promise<readonly SiteId[]> {
  return reach.only ?? (await sites.list()).filter(reach.has).map(({ id }) => id);
}

/**
 * The sites of a selection: ids as they are named, and the sites in reach that have its tags.
 * @throws {ServiceError} `site_forbidden` for a tag that no site in reach has
 */
export async function sitesNamed(
  context: Pick<Stores, 'sites'>,
  reach: Reach,
  named: '*' | readonly SiteRef[],
): Promise<readonly SiteId[]> {
  if (named === '*') return reachedSites(context, reach);
  const tags = named.flatMap((ref) => tagOfRef(ref) ?? []);
  const tagged = tags.length === 0 ? [] : (await context.sites.list()).filter(reach.has);
  for (const tag of tags) {
    if (tagged.some((site) => site.tags.includes(tag))) continue;
    throw new ServiceError('site_forbidden', `No site that the token may use has the tag "${tag}"`);
  }
  const ids = named.flatMap((ref) => {
    const tag = tagOfRef(ref);
    return tag === null ? [ref] : tagged.filter((site) => site.tags.includes(tag)).map(({ id }) => id);
  });
  return [...new Set(ids)];
}

/** Whether a reach includes all sites of a token or a grant. */
export async function coversAll(
  context: Pick<Stores, 'sites'>,
  reach: Reach,
  limit: '*' | readonly SiteRef[],
): Promise<boolean> {
  if (reach.isAll || limit === '*') return reach.isAll;
  for (const ref of limit) {
    if (!(reach.covers(ref) ?? (await isReached(context, reach, ref)))) return false;
  }
  return true;
}

/**
 * Rejects sites by name that are in reach only by their tags: rights granted by name would outlive the tag.
 * @param sites all in reach
 */
export async function outlivingTags(
  context: Pick<Stores, 'sites'>,
  reach: Reach,
  sites: '*' | readonly SiteRef[],
  path: string,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [i, ref] of sites === '*' ? [] : sites.entries()) {
    if (reach.covers(ref) !== undefined) continue;
    const tag = (await context.sites.find(ref))?.tags.find((one) => reach.covers(`tag:${one}`) === true);
    const message = `expected ${tag === undefined ? 'a tag' : `tag:${tag}`}, because only its tags say that the token of this request may use this site`;
    errors.push({ path: `${path}.${i}`, message });
  }
  return errors;
}

/** @throws {ServiceError} `site_forbidden` when the site is out of reach */
export async function requireReached(
  { sites }: { sites: Pick<SiteStore, 'find'> },
  reach: Reach,
  site: SiteId,
): Promise<void> {
  if (!(await isReached({ sites }, reach, site))) throw new ServiceError('site_forbidden', siteForbidden(site));
}

/** Whether a site is in reach. Reads it only where its tags decide. */
export async function isReached(
  { sites }: { sites: Pick<SiteStore, 'find'> },
  reach: Reach,
  site: SiteId,
): Promise<boolean> {
  const known = reach.knows(site);
  if (known !== undefined) return known;
  const found = await sites.find(site);
  return found !== null && reach.has(found);
}
