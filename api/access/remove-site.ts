/**
 * Removing a site with all that is in it. What is done first takes effect at once and for everybody; the rest may take
 * several calls, and each goes on where the one before has stopped.
 */
import { ServiceError } from '../../shared/errors.ts';
import type { SiteRow } from '../../store/access/site-removal.ts';
import type { AccessContext } from '../context/context.ts';
import { revokeAgent } from './revocation.ts';

/** The dependencies that are needed beyond the stores: to cut agents off. */
export type RemovalContext = Pick<
  AccessContext,
  'sites' | 'devices' | 'removals' | 'registry' | 'jobs' | 'tokens' | 'people'
>;

/**
 * @param row the row of the site as it was read; a later site of the same id is left alone
 * @param isTime whether to stop; asked again and again
 * @returns whether the site is gone; if not, another call goes on
 * @throws {ServiceError} `conflict` when the site is not the one of the row any more
 */
export async function removeSite(context: RemovalContext, row: SiteRow, isTime: () => boolean): Promise<boolean> {
  const { devices, removals, tokens, people } = context;
  const { site } = row;
  const removal = await removals.begin(row);
  if (removal === 'gone') return true;
  if (removal === 'changed') {
    throw new ServiceError(
      'conflict',
      `The site "${site}" has been changed at the same time; look at it and try again`,
    );
  }
  // Another call may end the removal at any moment, and then a site of the same id may be made.
  const isUnderWay = () => removals.isUnderWay(removal);
  await devices.retire(site, isUnderWay);
  for (const agent of await removals.agents(site)) {
    if (isTime()) return false;
    await revokeAgent(context, agent, isUnderWay);
  }
  // A site that is made again under this id is none that these tokens were made for, or these roles given at.
  await tokens.forgetSite(site, isUnderWay);
  await people.forgetSite(site, isUnderWay);
  if (!(await removals.sweep(removal, isTime))) return false;
  await removals.end(removal);
  return true;
}
