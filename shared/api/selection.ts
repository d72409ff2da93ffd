/** Requests that are about several sites: by their ids, by tags, or all. */
import * as z from 'zod';
import { SiteId, SiteRef } from '../identity.ts';
import { list } from './list.ts';

/** The sites that a request is about, where it names several. */
export const ManySites = z
  .union([z.literal('*'), list(SiteRef, { min: 1, max: 500 })], {
    error: 'expected "*" for all sites of the token, or a list of 1 to 500 site ids and tags',
  })
  .optional()
  .meta({
    description:
      'Several sites at once, by their ids or as `tag:<tag>`, or `*` for all that the token may use now. Default: the site of the call.',
  });

const SitesText = z.string().min(1).max(17_000).optional();

/** The same in a query. */
export const ManySitesQuery = z.object({
  sites: SitesText.meta({
    'x-checked-further': true,
    description:
      'Several sites, by ids and tags separated by commas, or `*` for all of the token that have it. Default: the site of the call.',
  }),
});

/** Which sites a list is about. */
export const OnlySites = SitesText.meta({
  'x-checked-further': true,
  description: 'Only these sites, by ids and tags separated by commas, such as `home,tag:customers`. Default: all.',
});

export const FailedSites = z
  .array(z.object({ site: SiteId, message: z.string() }))
  .meta({ description: 'Sites at which it could not be done, and why.' });

/** Of the answer to a request that names several sites, which shows what was made at the first of them. */
export const madeAtSites = {
  madeAt: z.array(SiteId).optional().meta({
    description: 'With `sites`: where it was made, with the same id everywhere. The answer shows the first.',
  }),
  failed: FailedSites.optional(),
};
