/** `/tokens`, `/sites` and `/enrol`. Nobody can give away more sites than their own token may use. */
import type { Token } from '../../shared/api/admin.ts';
import { admin as operations } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import { digestOf, makeToken, tokenId } from '../auth/token.ts';
import { siteForbidden } from '../dynamodb/device-store.ts';
import { validationError } from '../http/errors.ts';
import { group, type Handlers } from '../http/routes.ts';
import { auditPage } from './audit.ts';
import { enrolment } from './enrolment.ts';
import { confirmAgent, renewAgent } from './renewal.ts';
import { addSite, requireKnown } from './sites.ts';

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

  async listAudit(context, { site, token }, { limit, cursor }) {
    await requireKnown(context, token, site);
    if (cursor !== undefined && !/^[0-9a-f-]{36}$/.test(cursor)) {
      throw validationError([{ path: 'query.cursor', message: 'expected the nextCursor of an earlier page' }]);
    }
    const withGlobal = token.sites === '*';
    const { entries, next } = await auditPage(context, site, { withGlobal, before: cursor, limit });
    return { success: true, entries, nextCursor: next };
  },

  ...enrolment,
  renewAgent,
  confirmAgent,
};

export const adminGroup = group(operations, handlers);

function isWithin(sites: Token['sites'], { sites: own }: Token): boolean {
  return own === '*' || (sites !== '*' && sites.every((site) => own.includes(site)));
}
