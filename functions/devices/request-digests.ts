/** Requests digests from the agents of a site: each then reports everything that it sees. */
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { deadline } from '../../shared/async.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { DevicesContext } from './context.ts';

/**
 * For changes that agents must notice: deleted devices that are still on the LAN come back as new ones, and the reply to a
 * digest lists the devices to alert on. Never rejects; waits two seconds at most. The change stands without it: agents
 * report everything once a day anyway.
 */
export async function requestDigests(
  { sites, registry, log }: Pick<DevicesContext, 'sites' | 'registry' | 'log'>,
  site: SiteId,
): Promise<void> {
  async function publish(): Promise<boolean> {
    const agents = await sites.agents(site);
    const watching = agents.filter(({ state, discovery }) => state === 'online' && discovery?.state !== 'off');
    await Promise.all(watching.map(({ id }) => registry.publish(id, { v: PROTOCOL_VERSION, t: 'digest' })));
    return true;
  }
  try {
    if (!(await deadline(publish(), 2_000, () => false)))
      log.warn({ site }, 'requesting digests from agents timed out');
  } catch (error) {
    log.warn({ site, err: error }, 'cannot request digests from agents');
  }
}
