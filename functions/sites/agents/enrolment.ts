/** Enrolment and revocation of agents. Enrolment codes are in `codes.ts`. The renewal of certificates is in `renewal.ts`. */
import type { agents as operations } from '../../../shared/api/agents.ts';
import type { enrolment } from '../../../shared/api/enrolment.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type AgentId, agentId, type SiteId, siteOfAgent } from '../../../shared/identity.ts';
import type { Handler, Handlers } from '../../http/call.ts';
import { validationError } from '../../http/errors.ts';
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
    // Last, because until then another attempt finds the agent and repeats all steps.
    await sites.finishRevocation(agent, certificates);
    return { success: true };
  },
};

export const enrolAgent: Handler<(typeof enrolment)['enrolAgent'], EnrolmentContext> = async (context, call, said) => {
  const code = await requireOpen(context, said.code, call.sourceAddress);
  const agent = code.agent ?? agentId(code.site, nameFrom(requireName(said.name)));
  const permit = { agent, replaces: code.replace, madeAt: new Date(code.createdAt), use: useOf(code) };
  const key = publicKeyOfRequest(said.csr);
  const before = await context.sites.replacedBy(permit, key);
  // A host that has got no answer asks again, also when all uses are counted.
  const isAgain = 'replaced' in before && before.isSameHost;
  if (isUsedUp(code) && !isAgain) throw usedOrUnknown();
  if ('refusal' in before) throw refused(before.refusal, agent);
  const issued = await certify(context, permit, said.csr, before.replaced);
  if ('refusal' in issued) throw refused(issued.refusal, agent);
  const detail = { agent, code: code.id, createdBy: code.createdBy, ...(isAgain ? { again: true } : {}) };
  await call.audit(detail, { site: siteOfAgent(agent), actor: 'enrolment' });
  const { stage, certificate, authority, broker } = issued;
  return { success: true, agent, stage, certificate, authority, broker };
};

/**
 * Makes a host an agent: the certificate that its request asks for, recorded as that of the agent, in the place of those
 * that it may replace. A certificate that is not recorded is withdrawn.
 * @param former the certificates that are replaced, as they were read before
 */
async function certify(
  { registry, sites, jobs, log }: EnrolmentContext,
  permit: Permit,
  csr: string,
  former: readonly string[],
): Promise<IssuedIdentity | { refusal: Refusal | 'removed' }> {
  const { agent } = permit;
  if (!(await isForPresentSite(sites, siteOfAgent(agent), permit.madeAt))) return { refusal: 'removed' };
  const withdraw = (certificateId: string) =>
    registry.revoke(agent, certificateId).catch((error: unknown) => {
      log.error(
        { err: error, agentId: agent, certificateId },
        'cannot revoke a certificate that must not be used any more',
      );
    });
  const issued = await registry.enrol(agent, csr);
  const { certificate, certificateId } = issued;
  // The previous agent is revoked first: if that fails, its certificates stay recorded, and another attempt revokes
  // them.
  const record = async () => {
    for (const one of former) await registry.revoke(agent, one);
    return sites.recordEnrolment(permit, { certificateId, key: publicKeyOf(certificate), endsAt: endOf(certificate) });
  };
  const recorded = await record().catch(async (error: unknown) => {
    await withdraw(certificateId);
    throw error;
  });
  if ('refusal' in recorded) {
    await withdraw(certificateId);
    return recorded;
  }
  // Certificates that were issued to it in the meantime.
  for (const one of recorded.replaced) if (!former.includes(one)) await withdraw(one);
  // The removal of a site looks for its agents after the site counts as absent, so one of the two sees the other. Nobody
  // has the certificate before this function has answered.
  if (!(await isForPresentSite(sites, siteOfAgent(agent), permit.madeAt))) {
    await revokeAgent({ sites, jobs, registry }, agent);
    return { refusal: 'removed' };
  }
  return issued;
}

const timeOf = (at: number) => new Date(at).toISOString();

/** Whether the site for which something was made is still there, and not another one that has its id. */
async function isForPresentSite(sites: SiteStore, id: SiteId, madeAt: Date): Promise<boolean> {
  const site = await sites.find(id);
  return site !== null && Date.parse(site.createdAt) <= madeAt.getTime();
}

function refused(reason: Refusal | 'removed', agent: AgentId): ServiceError {
  const text = {
    taken: `There is an agent ${agent}, which this enrolment code does not replace; enrol under another name, or ask for a new code`,
    revoked: `The agent ${agent} has been revoked since the code was made; ask for a new one`,
    removed: `The site "${siteOfAgent(agent)}" has been removed since the code was made; ask for a new one`,
    closed: 'The enrolment code is used or revoked; ask for a new one',
  }[reason];
  return refusal(text);
}

/** @throws {ServiceError} `validation_failed` when there is none */
function requireName(name: string | undefined): string {
  if (name !== undefined) return name;
  throw validationError([{ path: 'name', message: 'expected the name of the host, after which its agent is named' }]);
}
