/** `/checks`. */
import type { Check, checks as operations } from '../../../shared/api/checks.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { given } from '../../../shared/given.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { changesBetween } from '../../http/audit-log.ts';
import type { Handlers } from '../../http/call.ts';
import { requireOwn } from '../../sites/origin.ts';
import { requireKnown } from '../../sites/sites.ts';
import { publishPlans } from '../schedules/publish-plans.ts';
import { addChecks, newCheckId } from './add-checks.ts';
import { readAgents } from './check-agents.ts';
import { shownChecks } from './check-status.ts';
import type { StoredCheck } from './check-store.ts';
import { readLabel, readTarget } from './check-target.ts';
import { addMatrixHandler, type ChecksContext, getMatrixHandler } from './matrix-handlers.ts';
import { observeChecks } from './observe-checks.ts';

export const checksHandlers: Handlers<typeof operations, ChecksContext> = {
  async listChecks(context, { site, reach }, { device, state }) {
    await requireKnown(context, reach, site);
    const { checks, unreadable } = await context.checks.list(site);
    const among = device === undefined ? checks : checks.filter((check) => check.device === device);
    const shown = await shownChecks(context, site, among);
    return { success: true, checks: shown.filter((check) => state === undefined || check.state === state), unreadable };
  },

  async addCheck(context, call, wanted) {
    const { site, reach, token } = call;
    await requireKnown(context, reach, site);
    const check: StoredCheck = {
      id: newCheckId(),
      ...(await readTarget(context, { site, reach }, wanted)),
      everySeconds: wanted.everySeconds,
      agents: await readAgents(context, site, wanted.agents),
      enabled: wanted.enabled,
      createdAt: context.now().toISOString(),
      createdBy: token.id,
    };
    await addChecks(context, site, [check]);
    await call.audit(auditDetail(check));
    await publishPlans(context, site);
    return { success: true, ...(await shownCheck(context, site, check)) };
  },

  getMatrix: getMatrixHandler,
  addMatrix: addMatrixHandler,

  async getCheck(context, { site, reach }, { check: id }) {
    await requireKnown(context, reach, site);
    return { success: true, ...(await shownCheck(context, site, await requireCheck(context, site, id))) };
  },

  async changeCheck(context, call, { check: id, label, everySeconds, agents, enabled }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    const called = label === undefined ? undefined : readLabel(label);
    const named = agents === undefined ? undefined : await readAgents(context, site, agents);
    let old = {};
    const changed = await context.checks.change(site, id, (before) => {
      requireOwn(before);
      old = auditDetail(before);
      return { ...before, ...given({ label: called, everySeconds, agents: named, enabled }) };
    });
    if (changed === null) throw notFound(id);
    const detail = auditDetail(changed);
    await call.audit(detail, { changes: changesBetween(old, detail) });
    await settle(context, site);
    return { success: true, ...(await shownCheck(context, site, changed)) };
  },

  async removeCheck(context, call, { check: id }) {
    const { site, reach } = call;
    await requireKnown(context, reach, site);
    const found = await requireCheck(context, site, id);
    requireOwn(found);
    if (!(await context.checks.remove(site, id))) throw notFound(id);
    await call.audit(auditDetail(found));
    await settle(context, site);
    return { success: true };
  },
};

async function requireCheck({ checks }: ChecksContext, site: SiteId, id: string): Promise<StoredCheck> {
  const found = await checks.find(site, id);
  if (found === null) throw notFound(id);
  return found;
}

const notFound = (id: string) => new ServiceError('not_found', `The site has no check ${id}`);

async function shownCheck(context: ChecksContext, site: SiteId, check: StoredCheck): Promise<Check> {
  const [shown] = await shownChecks(context, site, [check]);
  if (shown === undefined) throw notFound(check.id);
  return shown;
}

/** The target, without the parts of a URL that may be secret. */
function auditDetail({ id, kind, label, device, host, port, url, name, toSite, everySeconds, enabled }: StoredCheck) {
  const of = device ?? host ?? name ?? toSite ?? (url === undefined ? '' : new URL(url).host);
  return { check: id, kind, label, of, ...(port === undefined ? {} : { port }), everySeconds, enabled };
}

/** Brings the state and the plans of a site in line with its checks. */
async function settle(context: ChecksContext, site: SiteId): Promise<void> {
  await observeChecks(context, site, context.now());
  await publishPlans(context, site);
}
