import { SiteRef } from '../../shared/identity.ts';
import { invalid } from '../http/errors.ts';
import { type Reach, within } from '../http/reach.ts';

const MOST_SITES = 500;

/**
 * The part of a reach that a query of several sites names by ids and tags, or `*`. Sites out of reach are left out silently.
 * @throws {ServiceError} `validation_failed` for a malformed reference, or too many
 */
export function reachIn(text: string | undefined, reach: Reach): Reach {
  if (text === undefined || text === '*') return reach;
  const named = text.split(',').map((one) => one.trim());
  const wrong = named.find((one) => !SiteRef.safeParse(one).success);
  if (wrong === undefined && named.length <= MOST_SITES) return within(reach, named);
  throw invalid('query.sites', `expected "*", or up to ${MOST_SITES} site ids and tags separated by commas`);
}
