/** `/updates`: the state of the roll-out, and an administrator's control of it. */
import type { updates as operations } from '../../../../shared/api/updates.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import { siteOfAgent } from '../../../../shared/identity.ts';
import type { Handlers } from '../../../http/call.ts';
import type { RequestContext } from '../../../http/context.ts';
import type { Reach } from '../../../http/reach.ts';
import type { PlanPublisher } from '../../../monitoring/schedules/publish-plans.ts';
import { reachIn } from '../../many-sites.ts';
import { reachedSites } from '../../sites.ts';
import type { ReleaseSource } from './release-source.ts';
import { abandoned, resumed } from './rings.ts';
import { changeRollOut } from './roll-out.ts';
import type { RollOut } from './roll-out-store.ts';

type UpdatesContext = RequestContext & PlanPublisher & { releases?: ReleaseSource };

export const updatesHandlers: Handlers<typeof operations, UpdatesContext> = {
  async getUpdates(context, { reach }, { sites }) {
    return shown(context, reachIn(sites, reach), (await context.rollOuts.read({ consistent: true })).rollOut);
  },

  async changeUpdates(context, call, { version, state }) {
    if (!call.reach.isAll)
      throw new ServiceError('site_forbidden', 'Only a token for all sites may change what happens at all of them');
    const after = await changeRollOut(
      context,
      (before, now) => {
        if (before.version !== version) return null;
        if (before.state === state) return before;
        return state === 'going' ? resumed(before, now) : abandoned(before);
      },
      (agent, message) => context.registry.publish(agent, message),
    );
    if (after === null) throw new ServiceError('conflict', `The release ${version} is not the one that is rolled out`);
    await call.audit({ version, state }, { site: null });
    return shown(context, call.reach, after);
  },
};

async function shown({ releases, sites }: UpdatesContext, reach: Reach, rollOut: RollOut | null) {
  const reached = reach.isAll || rollOut === null ? null : new Set(await reachedSites({ sites }, reach));
  return {
    success: true as const,
    release: (await releases?.current())?.version ?? null,
    rollOut: rollOut && {
      version: rollOut.version,
      state: rollOut.state,
      ring: rollOut.ring,
      since: new Date(rollOut.since).toISOString(),
      underWay: Object.keys(rollOut.underWay).length,
      failures: rollOut.failures
        .filter(({ agent }) => reached?.has(siteOfAgent(agent)) ?? true)
        .map(({ agent, reason, at }) => ({ agent, reason, at: new Date(at).toISOString() })),
    },
  };
}
