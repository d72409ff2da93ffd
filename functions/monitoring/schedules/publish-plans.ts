/** Sends agents their plans at once after schedules or checks have changed. */
import type { SiteId } from '../../../shared/identity.ts';
import type { RequestContext } from '../../http/context.ts';
import type { AgentRegistry } from '../../sites/agents/agent-registry.ts';
import { type PlanStores, syncPlans } from './plans.ts';

export type PlanPublisher = PlanStores &
  Pick<RequestContext, 'log' | 'now'> & { registry: Pick<AgentRegistry, 'publish'> };

/** The change stands either way: an agent that is unreachable gets its plan when it is back. Never rejects. */
export async function publishPlans(context: PlanPublisher, site: SiteId): Promise<void> {
  try {
    await syncPlans(context, site, (agent, message) => context.registry.publish(agent, message), context.now());
  } catch (error) {
    context.log.warn({ site, err: error }, 'failed to send agents their plans');
  }
}
