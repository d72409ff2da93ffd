/** Updates the state of checks when the agents that run them, or the checks themselves, have changed. */
import type { Agent } from '../../../shared/api/records.ts';
import { nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import type { Stores } from '../../stores.ts';
import { observe } from '../outages/observe.ts';
import { readMadeChecks } from './check-makers.ts';
import { keepsChecks, reevaluate } from './evaluate.ts';

type CheckStores = Pick<Stores, 'checks' | 'devices' | 'sites' | 'siteStates'>;

/** Connected agents, and those that may be reconnecting after a broker restart: the first one back must not decide alone. */
export async function agentsWithSay({ sites }: Pick<Stores, 'sites'>, site: SiteId): Promise<Agent[]> {
  const [agents, connections] = await Promise.all([sites.agents(site), sites.connected(site)]);
  const gone = new Set(connections.flatMap(({ agent, isConnected }) => (isConnected === false ? [agent] : [])));
  return agents.filter(({ id, state }) => state !== 'enrolling' && !gone.has(id));
}

/**
 * Called when an agent is lost, and when checks have changed; not when an agent is back, because its reports follow soon.
 */
export async function observeChecks(stores: CheckStores, site: SiteId, now: Date): Promise<void> {
  let read: ReturnType<typeof readAll> | undefined;
  await observe(stores, site, null, async (state) => {
    if (!keepsChecks(state)) return null;
    read ??= readAll(stores, site);
    const { checks, connected } = await read;
    const after = reevaluate(state, checks, connected, now.getTime());
    return after.state === state ? null : after;
  });
}

async function readAll(stores: CheckStores, site: SiteId) {
  const agents = await agentsWithSay(stores, site);
  const connected = new Set(agents.map(({ id }) => nameOfAgent(id)));
  return { checks: await readMadeChecks(stores, site, agents), connected };
}
