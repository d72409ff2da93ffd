/** Enrolment and revocation of agents. See `codes.ts` for enrolment codes, and `renewal.ts` for the renewal of certificates. */
import type { agents as operations } from '../../../shared/api/agents.ts';
import type { enrolment } from '../../../shared/api/enrolment.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type AgentId, agentId, type SiteId, siteOfAgent } from '../../../shared/identity.ts';
import { timeOf } from '../../../shared/time.ts';
import type { Handler, Handlers } from '../../http/call.ts';
import { invalid } from '../../http/errors.ts';
import type { Stores } from '../../stores.ts';
import type { SiteStore } from '../site-store.ts';
import { requireKnown } from '../sites.ts';
import type { IssuedIdentity } from './agent-registry.ts';
import { type CodesContext, refusal, requireOpen, usedOrUnknown } from './codes.ts';
import { isUsedUp, useOf } from './enrolment-store.ts';
import { nameFrom } from './host-name.ts';
import type { Permit, Refusal } from './permit.ts';
import { agentLister } from './releases/listed-agents.ts';
import { endOf, publicKeyOf } from './renewal.ts';
import { publicKeyOfRequest } from './request-key.ts';
import { type RevocationContext, revokeAgent, revokeCertificates } from './revocation.ts';

export type EnrolmentContext = CodesContext & RevocationContext & Pick<Stores, 'rollOuts'>;

export const agentHandlers: Handlers<typeof operations, EnrolmentContext> = {
  async listAgents(context, call, { site }) {
    const known = await requireKnown(context, call.reach, site);
    const listed = await agentLister(context, [known]);
    const { agents, unreadable } = await context.sites.listAgents(site);
    return { success: true, agents: listed(known, agents), unreadable };
  },

  async getAgent(context, call, { site, name }) {
    const known = await requireKnown(context, call.reach, site);
    const agent = agentId(site, name);
    const found = await context.sites.findAgent(agent);
    if (found === null) throw new ServiceError('not_found', `The agent ${agent} does not exist`);
    const { history, ...own } = found;
    const [listed] = (await agentLister(context, [known]))(known, [own]);
    const { spans, certificateEndsAt, clockOffMs } = history;
    return {
      success: true,
      ...listed!,
      connections: spans.map(({ from, to, end }) => ({ from: timeOf(from), to: to === null ? null : timeOf(to), end })),
      certificateEndsAt: certificateEndsAt === null ? null : timeOf(certificateEndsAt),
      clockOffSeconds: clockOffMs === null ? null : Math.round(clockOffMs / 1000),
    };
  },

  async revokeAgent({ sites, jobs, registry }, call, { site, name }) {
    await requireKnown({ sites }, call.reach, site);
    const agent = agentId(site, name);
    const certificates = await revokeCertificates({ sites, jobs, registry }, agent);
    if (certificates === null) throw new ServiceError('not_found', `The agent ${agent} does not exist`);
    await call.audit({ agent }, { site });
    // Last: until then a retry finds the agent and repeats all steps.
    await sites.finishRevocation(agent, certificates);
    return { success: true };
  },
};

export const enrolAgent: Handler<(typeof enrolment)['enrolAgent'], EnrolmentContext> = async (context, call, input) => {
  const code = await requireOpen(context, input.code, call.sourceAddress);
  const agent = code.agent ?? agentId(code.site, nameFrom(requireName(input.name)));
  const permit = { agent, replaces: code.replace, madeAt: new Date(code.createdAt), use: useOf(code) };
  const key = publicKeyOfRequest(input.csr);
  const before = await context.sites.replacedBy(permit, key);
  // A host that has got no response retries, also when the code is used up.
  const isRetry = 'replaced' in before && before.isSameHost;
  if (isUsedUp(code) && !isRetry) throw usedOrUnknown();
  if ('refusal' in before) throw refused(before.refusal, agent);
  const issued = await certify(context, permit, input.csr, before.replaced);
  if ('refusal' in issued) throw refused(issued.refusal, agent);
  const detail = { agent, code: code.id, createdBy: code.createdBy, ...(isRetry ? { again: true } : {}) };
  await call.audit(detail, { site: siteOfAgent(agent), actor: 'enrolment' });
  const { stage, certificate, authority, broker } = issued;
  return { success: true, agent, stage, certificate, authority, broker };
};

/**
 * Issues the requested certificate, and records it as the agent's, in place of those that it may replace. A certificate that
 * cannot be recorded is revoked.
 * @param former the certificates to replace, as they were read before
 */
async function certify(
  { registry, sites, jobs, log }: EnrolmentContext,
  permit: Permit,
  csr: string,
  former: readonly string[],
): Promise<IssuedIdentity | { refusal: Refusal | 'removed' }> {
  const { agent } = permit;
  if (!(await isForPresentSite(sites, siteOfAgent(agent), permit.madeAt))) return { refusal: 'removed' };
  const revoke = (certificateId: string) =>
    registry.revoke(agent, certificateId).catch((error: unknown) => {
      log.error({ err: error, agentId: agent, certificateId }, 'cannot revoke a certificate that must not be used');
    });
  const issued = await registry.enrol(agent, csr);
  const { certificate, certificateId } = issued;
  // The previous agent is revoked first: if that fails, its certificates stay recorded, and a retry revokes them.
  const record = async () => {
    for (const one of former) await registry.revoke(agent, one);
    return sites.recordEnrolment(permit, { certificateId, key: publicKeyOf(certificate), endsAt: endOf(certificate) });
  };
  const recorded = await record().catch(async (error: unknown) => {
    await revoke(certificateId);
    throw error;
  });
  if ('refusal' in recorded) {
    await revoke(certificateId);
    return recorded;
  }
  // Certificates that were issued to it in the meantime.
  for (const one of recorded.replaced) if (!former.includes(one)) await revoke(one);
  // The removal of a site lists its agents after the site counts as absent, so one of the two sees the other. The certificate
  // is not handed out before this function returns.
  if (!(await isForPresentSite(sites, siteOfAgent(agent), permit.madeAt))) {
    await revokeAgent({ sites, jobs, registry }, agent);
    return { refusal: 'removed' };
  }
  return issued;
}

/** Whether the site still exists, and is not a later one of the same id. */
async function isForPresentSite(sites: SiteStore, id: SiteId, madeAt: Date): Promise<boolean> {
  const site = await sites.find(id);
  return site !== null && Date.parse(site.createdAt) <= madeAt.getTime();
}

function refused(reason: Refusal | 'removed', agent: AgentId): ServiceError {
  const messages = {
    taken: `There is an agent ${agent}, which this enrolment code does not replace; enrol under another name, or ask for a new code`,
    revoked: `The agent ${agent} has been revoked since the code was made; ask for a new one`,
    removed: `The site "${siteOfAgent(agent)}" has been removed since the code was made; ask for a new one`,
    closed: 'The enrolment code is used or revoked; ask for a new one',
  };
  return refusal(messages[reason]);
}

/** @throws {ServiceError} `validation_failed` when it is missing */
function requireName(name: string | undefined): string {
  if (name !== undefined) return name;
  throw invalid('name', 'expected the name of the host, after which its agent is named');
}
