/** Revoking an agent. */
import type { AgentId } from '../../../shared/identity.ts';
import type { Stores } from '../../stores.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { type AgentCertificates, certificateIds } from './agent-row.ts';

export type RevocationContext = Pick<Stores, 'sites' | 'jobs'> & { registry: AgentRegistry };

/**
 * Revokes an agent, so far that only `sites.finishRevocation` is missing: until then another try finds the agent, and goes over all
 * of it again.
 * @param isWanted asked after something was read and before it is changed
 * @returns the certificates that are worthless now; null when there is no such agent, or it is not wanted
 */
export async function revokeCertificates(
  { sites, registry, jobs }: RevocationContext,
  agent: AgentId,
  isWanted?: () => Promise<boolean>,
): Promise<AgentCertificates | null> {
  const certificates = await sites.beginRevocation(agent, isWanted);
  if (certificates === null) return null;
  await registry.revokeAll(agent, certificateIds(certificates));
  await jobs.abandon(agent, isWanted);
  return certificates;
}

/** Revokes an agent and records it, if there is one, as long as that is wanted; without `isWanted` it is. */
export async function revokeAgent(
  context: RevocationContext,
  agent: AgentId,
  isWanted?: () => Promise<boolean>,
): Promise<void> {
  const certificates = await revokeCertificates(context, agent, isWanted);
  if (certificates !== null) await context.sites.finishRevocation(agent, certificates);
}
