/**
 * Removing a site with all that is in it. What is done first takes effect at once and for everybody; the rest may take
 * several calls, and each goes on where the one before has stopped.
 */
import type { SiteId } from '../../shared/identity.ts';
import { sendAway } from '../agents/revocation.ts';
import type { Context } from '../context/context.ts';

/** The dependencies that are needed beyond the stores: to cut agents off. */
type RemovalContext = Pick<Context, 'sites' | 'devices' | 'removals' | 'registry' | 'jobs' | 'tokens'>;

/**
 * @param isTime whether to stop; asked again and again
 * @returns whether the site is gone; if not, another call goes on
 */
export async function removeSite(context: RemovalContext, site: SiteId, isTime: () => boolean): Promise<boolean> {
  const { devices, removals, tokens } = context;
  await removals.begin(site);
  await devices.retire(site);
  for (const agent of await removals.agents(site)) {
    if (isTime()) return false;
    await sendAway(context, agent);
  }
  // A site that is made again under this id is none that these tokens were made for.
  await tokens.forgetSite(site);
  if (!(await removals.sweep(site, isTime))) return false;
  await removals.end(site);
  return true;
}
