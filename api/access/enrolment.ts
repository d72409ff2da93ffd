/** Enrolment codes, enrolment and revocation of agents. The renewal of certificates is in `renewal.ts`. */
import type { agents as operations } from '../../shared/api/agents.ts';
import type { enrolment } from '../../shared/api/enrolment.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, agentId, type SiteId, siteOfAgent } from '../../shared/identity.ts';
import type { EnrolmentCode } from '../../store/access/enrolment-store.ts';
import type { Refusal, SiteStore } from '../../store/access/site-store.ts';
import type { AccessContext } from '../context/context.ts';
import type { Handler, Handlers } from '../http/call.ts';
import { agentLister } from '../releases/listed-agents.ts';
import type { IssuedIdentity, OnIssued } from './agent-registry.ts';
import { endOf, publicKeyOf } from './renewal.ts';
import { revokeAgent, revokeCertificates } from './revocation.ts';
import { requireKnown } from './sites.ts';

export const agentHandlers: Handlers<typeof operations, AccessContext> = {
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

  async createEnrolmentCode(context, call, { site, name, replace = false }) {
    const { sites, enrolments, now, settings } = context;
    await requireKnown(context, call.reach, site);
    const agent = agentId(site, name);
    // Refused at once, and not only when somebody uses the code.
    const before = await sites.replacedBy({ agent, replaces: replace, madeAt: now() });
    if ('refusal' in before && before.refusal === 'taken') {
      const message = `The agent ${agent} exists already. To replace it, ask for a code with "replace": true (command line: --replace)`;
      throw new ServiceError('conflict', message);
    }
    const { code, expiresAt } = await enrolments.create({ agent, replaces: replace });
    await call.audit({ agent, ...(replace ? { replace } : {}) }, { site });
    const addresses = settings.addresses?.() ?? [];
    const release = await releaseOffered(context);
    return { success: true, agent, code, expiresAt: expiresAt.toISOString(), addresses, release };
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

export const enrolAgent: Handler<(typeof enrolment)['enrolAgent'], AccessContext> = async (
  context,
  call,
  { code, csr },
) => {
  const { enrolments } = context;
  const enrolmentCode = await enrolments.claim(code);
  if (enrolmentCode === null) {
    throw new ServiceError('enrolment_refused', 'The enrolment code is unknown, used or expired; ask for a new one');
  }
  const { agent } = enrolmentCode;
  const undo = () => enrolments.release(code);
  const issued = await certify(context, enrolmentCode, csr, { undo });
  if ('refusal' in issued) throw refused(issued.refusal, agent);
  await call.audit({ agent }, { site: siteOfAgent(agent), actor: 'enrolment' });
  const { stage, certificate, authority, broker } = issued;
  return { success: true, agent, stage, certificate, authority, broker };
};

/** What else is done while a certificate is issued. */
interface Certifying {
  /** Called after a failure that who enrols has not caused: what was used up is good for another try. */
  undo(): Promise<void>;
  /** Called with the certificate before it can be used; when it rejects, the certificate is discarded. */
  note?: OnIssued;
}

/**
 * Makes a host an agent: the certificate that its request asks for, recorded as that of the agent, in the place of those
 * that it may replace. A certificate that is not recorded is withdrawn.
 */
export async function certify(
  { registry, sites, jobs, log }: Pick<AccessContext, 'registry' | 'sites' | 'jobs' | 'log'>,
  permit: EnrolmentCode,
  csr: string,
  { undo, note }: Certifying,
): Promise<IssuedIdentity | { refusal: Refusal | 'removed' }> {
  const { agent } = permit;
  const isOfThisSite = await isForPresentSite(sites, siteOfAgent(agent), permit.madeAt).catch(afterUndoing);
  if (!isOfThisSite) return { refusal: 'removed' };
  const withdraw = (certificateId: string) =>
    registry.revoke(agent, certificateId).catch((error: unknown) => {
      log.error(
        { err: error, agentId: agent, certificateId },
        'cannot revoke a certificate that must not be used any more',
      );
    });
  const before = await sites.replacedBy(permit).catch(afterUndoing);
  if ('refusal' in before) return before;
  const issued = await registry.enrol(agent, csr, note).catch(afterUndoing);
  const { certificate, certificateId } = issued;
  // The previous agent is revoked first: if that fails, its certificates stay recorded, and another attempt revokes
  // them.
  const record = async () => {
    for (const former of before.replaced) await registry.revoke(agent, former);
    return sites.recordEnrolment(permit, { certificateId, key: publicKeyOf(certificate), endsAt: endOf(certificate) });
  };
  const recorded = await record().catch(async (error: unknown) => {
    await withdraw(certificateId);
    return afterUndoing(error);
  });
  if ('refusal' in recorded) {
    await withdraw(certificateId);
    return recorded;
  }
  // Certificates that were issued to it in the meantime.
  for (const former of recorded.replaced) if (!before.replaced.includes(former)) await withdraw(former);
  // The removal of a site looks for its agents after the site counts as absent, so one of the two sees the other. Nobody
  // has the certificate before this function has answered.
  if (!(await isForPresentSite(sites, siteOfAgent(agent), permit.madeAt))) {
    await revokeAgent({ sites, jobs, registry }, agent);
    return { refusal: 'removed' };
  }
  return issued;

  async function afterUndoing(error: unknown): Promise<never> {
    await undo();
    throw error;
  }
}

/** The release that the install line brings; null when none is handed out. */
export async function releaseOffered({ releases }: Pick<AccessContext, 'releases'>) {
  const current = (await releases?.current()) ?? null;
  return current && { version: current.version, packages: current.files.map(({ kind }) => kind) };
}

const timeOf = (at: number) => new Date(at).toISOString();

/** Whether the site for which something was made is still there, and not another one that has its id. */
export async function isForPresentSite(sites: SiteStore, id: SiteId, madeAt: Date): Promise<boolean> {
  const site = await sites.find(id);
  return site !== null && Date.parse(site.createdAt) <= madeAt.getTime();
}

function refused(refusal: Refusal | 'removed', agent: AgentId): ServiceError {
  const reason = {
    taken: `Another agent has enrolled as ${agent} since the enrolment code was made`,
    revoked: `The agent ${agent} has been revoked since the code was made`,
    removed: `The site "${siteOfAgent(agent)}" has been removed since the code was made`,
  }[refusal];
  return new ServiceError('enrolment_refused', `${reason}; ask for a new one`);
}
