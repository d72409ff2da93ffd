/** `/tokens`, `/sites` and `/enrol`. Nobody can give away more sites than their own token may use. */
import type { Token } from '../../shared/api/admin.ts';
import { admin as operations } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, agentId, type SiteId, siteOfAgent } from '../../shared/identity.ts';
import { requireSite } from '../auth/authenticate.ts';
import { digestOf, makeToken, tokenId } from '../auth/token.ts';
import type { Context } from '../context.ts';
import { certificateIds } from '../dynamodb/certificate-store.ts';
import { siteForbidden } from '../dynamodb/device-store.ts';
import type { Refusal } from '../dynamodb/site-store.ts';
import { validationError } from '../http/errors.ts';
import { group, type Handlers } from '../http/routes.ts';
import { auditPage } from './audit.ts';
import { confirmAgent, publicKeyOf, renewAgent } from './renewal.ts';
import { addSite } from './sites.ts';

const handlers: Handlers<typeof operations> = {
  async listTokens({ tokens }, call) {
    const all = await tokens.list();
    return { success: true, tokens: all.filter((token) => isWithin(token.sites, call.token)) };
  },

  async createToken({ tokens, sites, audit, now }, call, { name, scopes, sites: allowed, defaultSite, expiresAt }) {
    const wanted = allowed === '*' ? [] : allowed;
    const home = defaultSite ?? (allowed === '*' ? call.token.defaultSite : (allowed[0] ?? null));
    if (allowed === '*' && call.token.sites !== '*') throw new ServiceError('site_forbidden', siteForbidden('*'));
    for (const site of new Set([...wanted, ...(home === null ? [] : [home])]))
      await requireKnown({ sites }, call.token, site);
    if (home !== null && allowed !== '*' && !allowed.includes(home)) {
      throw validationError([{ path: 'defaultSite', message: 'expected one of the sites of the token' }]);
    }
    const createdAt = now().toISOString();
    if (expiresAt !== undefined && expiresAt <= createdAt) {
      throw validationError([{ path: 'expiresAt', message: 'expected a time in the future' }]);
    }
    const token = makeToken();
    const id = tokenId(token)!;
    const row = { name, scopes, sites: allowed, defaultSite: home, createdAt, expiresAt: expiresAt ?? null };
    await tokens.add(id, { ...row, digest: digestOf(token) });
    const detail = { id, name, scopes: scopes.join(' '), sites: allowed === '*' ? '*' : allowed.join(' ') };
    await audit.record({ site: null, actor: call.token.id, action: 'token.create', detail, requestId: call.requestId });
    return { success: true, token, id, ...row, lastUsedAt: null };
  },

  async revokeToken({ tokens, audit }, call, { id }) {
    const found = (await tokens.list()).find((token) => token.id === id && isWithin(token.sites, call.token));
    if (found === undefined || !(await tokens.revoke(id))) {
      throw new ServiceError('not_found', `There is no token with the id ${id}`);
    }
    const detail = { id, name: found.name };
    await audit.record({ site: null, actor: call.token.id, action: 'token.revoke', detail, requestId: call.requestId });
    return { success: true };
  },

  async listSites({ sites }, call) {
    const all = await sites.list();
    return { success: true, sites: all.filter(({ id }) => isWithin([id], call.token)) };
  },

  async addSite(context, call, { id, name }) {
    if (call.token.sites !== '*') throw new ServiceError('site_forbidden', 'Only a token for all sites may add one');
    const site = { id, name: name ?? id, createdAt: context.now().toISOString() };
    if (!(await addSite(context, site))) throw new ServiceError('conflict', `There is a site "${id}" already`);
    const detail = { name: site.name };
    await context.audit.record({
      site: id,
      actor: call.token.id,
      action: 'site.add',
      detail,
      requestId: call.requestId,
    });
    return { success: true, ...site };
  },

  async listAgents({ sites }, call, { site }) {
    await requireKnown({ sites }, call.token, site);
    return { success: true, agents: await sites.agents(site) };
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

  async listAudit(context, { site, token }, { limit, cursor }) {
    await requireKnown(context, token, site);
    if (cursor !== undefined && !/^[0-9a-f-]{36}$/.test(cursor)) {
      throw validationError([{ path: 'query.cursor', message: 'expected the nextCursor of an earlier page' }]);
    }
    const withGlobal = token.sites === '*';
    const { entries, next } = await auditPage(context, site, { withGlobal, before: cursor, limit });
    return { success: true, entries, nextCursor: next };
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

  renewAgent,
  confirmAgent,
};

export const adminGroup = group(operations, handlers);

function refused(refusal: Refusal, agent: AgentId): ServiceError {
  const reason = {
    taken: `Another agent has enrolled as ${agent} since the code was made`,
    revoked: `The agent ${agent} has been revoked since the code was made`,
  }[refusal];
  return new ServiceError('enrolment_refused', `${reason}; ask for a new one`);
}

function isWithin(sites: Token['sites'], { sites: own }: Token): boolean {
  return own === '*' || (sites !== '*' && sites.every((site) => own.includes(site)));
}

/** @throws {ServiceError} `site_forbidden` when the token may not use the site, or there is none */
async function requireKnown({ sites }: Pick<Context, 'sites'>, token: Token, site: SiteId): Promise<void> {
  requireSite(token, site);
  if ((await sites.find(site)) === null) throw new ServiceError('site_forbidden', siteForbidden(site));
}
