/** `/sites/{site}/move`: the agents of a site follow it to another deployment. */
import type { Site } from '../../shared/api/records.ts';
import type { sites as operations } from '../../shared/api/sites.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { siteForbidden } from '../../store/devices/collection-row.ts';
import type { AccessContext } from '../context/context.ts';
import type { Handlers, TokenCall } from '../http/call.ts';
import { requireKnown } from './sites.ts';
import { tellSettings } from './tell-settings.ts';

export const moveHandlers: Pick<Handlers<typeof operations, AccessContext>, 'moveSite' | 'undoSiteMove'> = {
  moveSite: async (context, call, { site, to }) => ({ success: true, ...(await note(context, call, site, to)) }),
  undoSiteMove: async (context, call, { site }) => ({ success: true, ...(await note(context, call, site, undefined)) }),
};

/** Tells the agents also when nothing has changed: the call may be made again because they could not be told. */
async function note(
  context: AccessContext,
  call: Parameters<(typeof moveHandlers)['moveSite']>[1],
  site: SiteId,
  to: string | undefined,
): Promise<Site> {
  requireEverywhere(call);
  await requireKnown(context, call.reach, site);
  const changed = await context.sites.change(site, ({ movedTo }) => {
    if (to === undefined || movedTo === undefined || movedTo === to) return { movedTo: to };
    throw new ServiceError('conflict', `The site "${site}" moves to ${movedTo} already. Undo that first`);
  });
  if (changed === null) throw new ServiceError('site_forbidden', siteForbidden(site));
  if (changed.after.revision !== changed.before.revision) await call.audit(to === undefined ? {} : { to }, { site });
  await tellSettings(context, changed.after);
  return changed.after;
}

function requireEverywhere({ reach }: Pick<TokenCall, 'reach'>): void {
  if (!reach.isAll) throw new ServiceError('site_forbidden', 'Only a token for all sites may move one');
}
