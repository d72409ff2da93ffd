/** `/tokens`, `/sites`, `/audit` and `/enrol`. */
import { admin as operations } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import { AUDIT_ID } from '../dynamodb/audit-log.ts';
import { validationError } from '../http/errors.ts';
import { group, type Handlers } from '../http/routes.ts';
import { auditPage } from './audit.ts';
import { enrolment } from './enrolment.ts';
import { confirmAgent, renewAgent } from './renewal.ts';
import { addSite, requireKnown } from './sites.ts';
import { isWithin, tokenHandlers } from './tokens.ts';

const handlers: Handlers<typeof operations> = {
  ...tokenHandlers,

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
    return { success: true, ...(await sites.listAgents(site)) };
  },

  async listAudit(context, { site, token }, { limit, cursor }) {
    await requireKnown(context, token, site);
    if (cursor !== undefined && !AUDIT_ID.test(cursor)) {
      throw validationError([{ path: 'query.cursor', message: 'expected the nextCursor of an earlier page' }]);
    }
    const withGlobal = token.sites === '*';
    const { next, ...page } = await auditPage(context, site, { withGlobal, before: cursor, limit });
    return { success: true, ...page, nextCursor: next };
  },

  ...enrolment,
  renewAgent,
  confirmAgent,
};

export const adminGroup = group(operations, handlers);
