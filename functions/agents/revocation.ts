/** Sending an agent away. */
import type { AgentId } from '../../shared/identity.ts';
import type { Context } from '../context/context.ts';
import { type AgentCertificates, certificateIds } from '../dynamodb/agent-row.ts';

type RevocationContext = Pick<Context, 'sites' | 'registry' | 'jobs'>;

/**
 * Revokes an agent, so far that only `sites.revoked` is missing: until then another try finds the agent, and goes over all
 * of it again. @returns the certificates that are worthless now; null when there is no such agent
 */
export async function cutOff(
  { sites, registry, jobs }: RevocationContext,
  agent: AgentId,
): Promise<AgentCertificates | null> {
  const certificates = await sites.revoking(agent);
  if (certificates === null) return null;
  await registry.revokeAll(agent, certificateIds(certificates));
  await jobs.abandon(agent);
  return certificates;
}

/** Revokes an agent, if there is one. */
export async function sendAway(context: RevocationContext, agent: AgentId): Promise<void> {
  const certificates = await cutOff(context, agent);
  if (certificates !== null) await context.sites.revoked(agent, certificates);
}
