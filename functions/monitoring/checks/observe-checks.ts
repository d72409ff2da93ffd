/** Checks are down by the word of the agents that make them: when those are others, or a check is another one, so may it be. */
import type { Agent } from '../../../shared/api/records.ts';
import { nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import type { Stores } from '../../stores.ts';
import { observe } from '../outages/observe.ts';
import { readMadeChecks } from './check-makers.ts';
import { keepsChecks, verdictsAfter } from './verdicts.ts';

type StandingStores = Pick<Stores, 'checks' | 'devices' | 'sites' | 'siteStates'>;

/**
 * The agents whose word counts: those that are connected, and those that may be on their way back, because the broker was
 * just started. Without them, the first one that is back would speak for all.
 */
export async function agentsWithSay({ sites }: Pick<Stores, 'sites'>, site: SiteId): Promise<Agent[]> {
  const [agents, connections] = await Promise.all([sites.agents(site), sites.connected(site)]);
  const gone = new Set(connections.flatMap(({ agent, isConnected }) => (isConnected === false ? [agent] : [])));
  return agents.filter(({ id, state }) => state !== 'enrolling' && !gone.has(id));
}

/**
 * Makes the state of a site agree with its checks and its agents. Called when an agent is lost, and when checks are changed;
 * not when an agent is back, of which it will be known soon what it says.
 */
export async function observeChecks(stores: StandingStores, site: SiteId, now: Date): Promise<void> {
  let read: ReturnType<typeof readAll> | undefined;
  await observe(stores, site, null, async (state) => {
    if (!keepsChecks(state)) return null;
    read ??= readAll(stores, site);
    const { checks, connected } = await read;
    const after = verdictsAfter(state, checks, connected, now.getTime());
    return after.state === state ? null : after;
  });
}

async function readAll(stores: StandingStores, site: SiteId) {
  const agents = await agentsWithSay(stores, site);
  const connected = new Set(agents.map(({ id }) => nameOfAgent(id)));
  return { checks: await readMadeChecks(stores, site, agents), connected };
}
