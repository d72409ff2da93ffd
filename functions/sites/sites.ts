/**
 * Creating a site, and the check that a token may use a site that exists.
 * @promise A site that is absent, deleted or out of reach answers with the same 403: `test/api/sites.test.ts`,
 *   `test/enrolment.test.ts`.
 */
import type { Site } from '../../shared/api/records.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import { type SiteId, type SiteRef, tagOfRef } from '../../shared/identity.ts';
import { siteForbidden } from '../devices/collection/collection-row.ts';
import type { Reach } from '../http/reach.ts';
import type { Stores } from '../stores.ts';
import type { NewSite, SiteStore } from './site-store.ts';

/** Adds a site and its empty collection. @returns false when the site exists already, or is deleted */
export async function addSite(
  { sites, devices, now }: Pick<Stores, 'sites' | 'devices'> & { now(): Date },
  site: NewSite,
): Promise<boolean> {
  if (await sites.isTaken(site.id)) return false;
  // The collection is created first, because a site that is listed must be usable. If a crash leaves it without a site,
  // it is empty.
  await devices.create(site.id, now());
  return sites.add(site);
}

/**
 * The site, if the call may use it.
 * @throws {ServiceError} `site_forbidden` when the call may not use the site, or the site does not exist
 */
export async function requireKnown({ sites }: Pick<Stores, 'sites'>, reach: Reach, site: SiteId): Promise<Site> {
  const found = reach.knows(site) === false ? null : await sites.find(site);
  if (found === null || !reach.has(found)) throw new ServiceError('site_forbidden', siteForbidden(site));
  return found;
}

/** The ids of all sites that a call may use; of one that names them, also of those that do not exist. */
export async function reachedSites({ sites }: Pick<Stores, 'sites'>, reach: Reach): Promise<readonly SiteId[]> {
  return reach.only ?? (await sites.list()).filter(reach.has).map(({ id }) => id);
}

/**
 * The sites that a selection means, among those that a call may use: ids as they are named, and the sites of its tags.
 * @throws {ServiceError} `site_forbidden` for a tag that no site of the call has
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

/** Whether a call may use all that a token or a grant is limited to. */
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
 * What is wrong with sites that are named where tags decide that a call may use them: what is given by name would stay when the
 * tag is taken away.
 * @param sites that the call may use
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

/** @throws {ServiceError} `site_forbidden` when the call may not use the site */
export async function requireReached(
  { sites }: { sites: Pick<SiteStore, 'find'> },
  reach: Reach,
  site: SiteId,
): Promise<void> {
  if (!(await isReached({ sites }, reach, site))) throw new ServiceError('site_forbidden', siteForbidden(site));
}

/** Whether a call may use a site. Looks at it only where its tags decide. */
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
