/** Requests that are about several sites at once. */
import { SiteRef } from '../../shared/identity.ts';
import { validationError } from '../http/errors.ts';
import { type Reach, within } from '../http/reach.ts';

const MOST_SITES = 500;

/**
 * What of a reach a query names: ids and tags, or `*`. Of what is beyond the reach it says nothing.
 * @throws {ServiceError} `validation_failed` for what is neither
 */
export function reachIn(text: string | undefined, reach: Reach): Reach {
  if (text === undefined || text === '*') return reach;
  const named = text.split(',').map((one) => one.trim());
  const wrong = named.find((one) => !SiteRef.safeParse(one).success);
  if (wrong === undefined && named.length <= MOST_SITES) return within(reach, named);
  const message = `expected "*", or up to ${MOST_SITES} site ids and tags separated by commas`;
  throw validationError([{ path: 'query.sites', message }]);
}
