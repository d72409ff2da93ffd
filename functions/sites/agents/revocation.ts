/** Revocation of agents. */
import type { AgentId } from '../../../shared/identity.ts';
import type { Stores } from '../../stores.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { type AgentCertificates, certificateIds } from './agent-row.ts';

export type RevocationContext = Pick<Stores, 'sites' | 'jobs'> & { registry: AgentRegistry };

/**
 * Revokes an agent, except for `sites.finishRevocation`: until then a retry finds the agent, and repeats all steps.
 * @param isWanted checked between reads and writes
 * @returns the revoked certificates; null when there is no such agent, or `isWanted` is false
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

/** Revokes an agent, if it exists, while `isWanted`. */
export async function revokeAgent(
  context: RevocationContext,
  agent: AgentId,
  isWanted?: () => Promise<boolean>,
): Promise<void> {
  const certificates = await revokeCertificates(context, agent, isWanted);
  if (certificates !== null) await context.sites.finishRevocation(agent, certificates);
}
