/** After a change that agents have to know of, those of the site tell again what they see. */
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { deadline } from '../../shared/async.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { DevicesContext } from './context.ts';

/** The change is made whether or not agents can be asked: then they tell everything within a day by themselves. */
const ASK_WITHIN_MS = 2_000;

/**
 * Asks the agents that are connected to tell everything, so that deleted devices that are still on the LAN come back as
 * new ones, and so that the answer says of which devices people want to be alerted. Never rejects, and takes two seconds at most.
 */
export async function askAgents(
  { sites, registry, log }: Pick<DevicesContext, 'sites' | 'registry' | 'log'>,
  site: SiteId,
): Promise<void> {
  const asked = sites.agents(site).then((agents) => {
    const watching = agents.filter(({ state, discovery }) => state === 'online' && discovery?.state !== 'off');
    return Promise.all(watching.map(({ id }) => registry.publish(id, { v: PROTOCOL_VERSION, t: 'digest' })));
  });
  try {
    const isAsked = await deadline(
      asked.then(() => true),
      ASK_WITHIN_MS,
      () => false,
    );
    if (!isAsked) log.warn({ site }, 'agents could not be asked in time for what they see');
  } catch (error) {
    log.warn({ site, err: error }, 'agents cannot be asked for what they see');
  }
}
