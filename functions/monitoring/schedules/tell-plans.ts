/** After a change of what the agents of a site are to do, they are told at once. */
import type { SiteId } from '../../../shared/identity.ts';
import type { RequestContext } from '../../http/context.ts';
import type { AgentRegistry } from '../../sites/agents/agent-registry.ts';
import type { PlanStores } from './plans.ts';
import { syncPlans } from './plans.ts';

/** What it needs to tell them. */
export type PlanTeller = PlanStores &
  Pick<RequestContext, 'log' | 'now'> & { registry: Pick<AgentRegistry, 'publish'> };

/** The change is made whether or not agents can be told: who cannot be reached is told when it comes back. Never rejects. */
export async function tellPlans(context: PlanTeller, site: SiteId): Promise<void> {
  try {
    await syncPlans(context, site, (agent, message) => context.registry.publish(agent, message), context.now());
  } catch (error) {
    context.log.warn({ site, err: error }, 'agents could not be told what they are to do');
  }
}
