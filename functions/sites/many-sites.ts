/** Requests that are about several sites at once. */
import type { Site } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type SiteId, SiteRef } from '../../shared/identity.ts';
import { type Reach, within } from '../access/reach.ts';
import type { SiteCall } from '../http/call.ts';
import { validationError } from '../http/errors.ts';
import type { Stores } from '../stores.ts';
import { openLimit } from '../table/slices.ts';
import { requireKnown, sitesNamed } from './sites.ts';

/** Ids and tags, or `*` for all sites of the token; undefined for that of the call. */
type NamedSites = '*' | readonly SiteRef[] | undefined;

const MOST_SITES = 500;
/** Sites at which something is done at the same time. */
const AT_ONCE = 8;

interface AtSites<Done> {
  done: Done[];
  failed: { site: SiteId; message: string }[];
}

/**
 * Does something at each of the sites that the token may use, in the order in which they are named.
 * @param act returns null where there is nothing to do, which is no failure with `*`
 * @throws {ServiceError} the first failure, when it was done nowhere
 */
export async function atSites<Done>(
  context: Pick<Stores, 'sites'>,
  { site: own, reach }: Pick<SiteCall, 'site' | 'reach'>,
  named: NamedSites,
  act: (site: Site) => Promise<Done>,
): Promise<AtSites<Done>> {
  const ids = await sitesNamed(context, reach, named ?? [own]);
  const limit = openLimit(AT_ONCE);
  const attempts = await Promise.all(
    ids.map((site) =>
      limit(async (): Promise<{ done: Done } | { site: SiteId; error: ServiceError }> => {
        try {
          return { done: await act(await requireKnown(context, reach, site)) };
        } catch (error) {
          if (error instanceof ServiceError) return { site, error };
          throw error;
        }
      }),
    ),
  );
  const done = attempts.flatMap((one) => ('done' in one ? [one.done] : []));
  const refused = attempts.flatMap((one) => ('error' in one ? [one] : []));
  // With all sites, those that have no such thing are none of the caller's business.
  const failed = named === '*' ? refused.filter(({ error }) => error.code !== 'not_found') : refused;
  const first = failed[0] ?? refused[0];
  if (done.length === 0 && first !== undefined) throw first.error;
  return { done, failed: failed.map(({ site, error }) => ({ site, message: error.message })) };
}

/** The sites that a query names. */
export function sitesInQuery(text: string | undefined): NamedSites {
  if (text === undefined || text === '*') return text;
  const ids = text.split(',').map((one) => one.trim());
  const wrong = ids.find((one) => !SiteRef.safeParse(one).success);
  if (wrong === undefined && ids.length <= MOST_SITES) return ids;
  const message = `expected "*", or up to ${MOST_SITES} site ids and tags separated by commas`;
  throw validationError([{ path: 'query.sites', message }]);
}

/** What of a reach a query names. Of what is beyond the reach it says nothing. */
export function reachIn(text: string | undefined, reach: Reach): Reach {
  const named = sitesInQuery(text);
  return named === undefined ? reach : within(reach, named);
}
