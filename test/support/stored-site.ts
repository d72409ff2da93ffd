/** Sites and agents that are in the stores alone: no request, certificate or message made them. */
import type { Stores } from '../../functions/stores.ts';
import { type AgentId, agentId, type SiteId } from '../../shared/identity.ts';

export async function storeSite({ devices, sites }: Pick<Stores, 'devices' | 'sites'>, id: SiteId, at = new Date()) {
  await devices.create(id, at);
  await sites.add({ id, name: id, createdAt: at.toISOString() });
}

export async function storeAgent({ sites }: Pick<Stores, 'sites'>, site: SiteId, name: string, madeAt = new Date()) {
  const agent: AgentId = agentId(site, name);
  await sites.recordEnrolment({ agent, replaces: false, madeAt }, { certificateId: agent, key: agent });
  return agent;
}
