/** How agents come, and how they are sent away: codes, enrolment, revocation. How they stay stands in `renewal.ts`. */
import type { admin as operations } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, agentId, siteOfAgent } from '../../shared/identity.ts';
import { requireKnown } from '../access/sites.ts';
import { certificateIds } from '../dynamodb/agent-row.ts';
import type { Refusal } from '../dynamodb/site-store.ts';
import type { Handlers } from '../http/routes.ts';
import { publicKeyOf } from './renewal.ts';

export const agentHandlers: Pick<
  Handlers<typeof operations>,
  'listAgents' | 'createEnrolmentCode' | 'enrolAgent' | 'revokeAgent'
> = {
  async listAgents({ sites }, call, { site }) {
    await requireKnown({ sites }, call.token, site);
    return { success: true, ...(await sites.listAgents(site)) };
  },

  async createEnrolmentCode({ sites, enrolments, audit, now }, call, { site, name, replace = false }) {
    await requireKnown({ sites }, call.token, site);
    const agent = agentId(site, name);
    // Told now, and not only to whoever comes with the code.
    const told = await sites.replacedBy({ agent, replaces: replace, madeAt: now() });
    if ('refusal' in told && told.refusal === 'taken') {
      const message = `There is an agent ${agent} already. A code that replaces it must be asked for (replace, --replace)`;
      throw new ServiceError('conflict', message);
    }
    const { code, expiresAt } = await enrolments.create({ agent, replaces: replace });
    const detail = { agent, ...(replace ? { replace } : {}) };
    await audit.record({ site, actor: call.token.id, action: 'enrolment.create', detail, requestId: call.requestId });
    return { success: true, agent, code, expiresAt: expiresAt.toISOString() };
  },

  async enrolAgent({ enrolments, registry, sites, audit, log }, call, { code, csr }) {
    const invitation = await enrolments.claim(code);
    if (invitation === null) {
      throw new ServiceError('enrolment_refused', 'The enrolment code is unknown, used or expired; ask for a new one');
    }
    const { agent } = invitation;
    const withdraw = (certificateId: string) =>
      registry.revoke(agent, certificateId).catch((error: unknown) => {
        log.error({ err: error, agentId: agent, certificateId }, 'cannot revoke a certificate that is not to be used');
      });
    const before = await sites.replacedBy(invitation).catch(giveBack);
    if ('refusal' in before) throw refused(before.refusal, agent);
    const { certificate, certificateId, authority, broker } = await registry.enrol(agent, csr).catch(giveBack);
    const issued = { certificateId, key: publicKeyOf(certificate) };
    // The predecessor goes first: where that fails its certificates stay noted, and another try comes back to them.
    const takePlace = async () => {
      for (const former of before.replaced) await registry.revoke(agent, former);
      return sites.enrolled(invitation, issued);
    };
    const noted = await takePlace().catch(async (error: unknown) => {
      await withdraw(certificateId);
      return giveBack(error);
    });
    if ('refusal' in noted) {
      await withdraw(certificateId);
      throw refused(noted.refusal, agent);
    }
    // Those that it was given in the meantime.
    for (const former of noted.replaced) if (!before.replaced.includes(former)) await withdraw(former);
    const site = siteOfAgent(agent);
    const detail = { agent };
    await audit.record({ site, actor: 'enrolment', action: 'agent.enrol', detail, requestId: call.requestId });
    return { success: true, agent, certificate, authority, broker };

    /** What fails through no fault of the bearer does not use the code up. */
    async function giveBack(error: unknown): Promise<never> {
      await enrolments.release(code);
      throw error;
    }
  },

  async revokeAgent({ sites, jobs, registry, audit }, call, { site, name }) {
    await requireKnown({ sites }, call.token, site);
    const agent = agentId(site, name);
    const certificates = await sites.revoking(agent);
    if (certificates === null) throw new ServiceError('not_found', `There is no agent ${agent}`);
    await registry.revokeAll(agent, certificateIds(certificates));
    await jobs.abandon(agent);
    const detail = { agent };
    await audit.record({ site, actor: call.token.id, action: 'agent.revoke', detail, requestId: call.requestId });
    // Last: until then another try finds the agent, and goes over all of it again.
    await sites.revoked(agent, certificates);
    return { success: true };
  },
};

function refused(refusal: Refusal, agent: AgentId): ServiceError {
  const reason = {
    taken: `Another agent has enrolled as ${agent} since the code was made`,
    revoked: `The agent ${agent} has been revoked since the code was made`,
  }[refusal];
  return new ServiceError('enrolment_refused', `${reason}; ask for a new one`);
}
