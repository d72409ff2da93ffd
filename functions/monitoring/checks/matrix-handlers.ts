/** `/checks/matrix`: which sites reach which others. */
import type { checks as operations } from '../../../shared/api/checks.ts';
import type { Output, Unreadable } from '../../../shared/api/operation.ts';
import type { Site } from '../../../shared/api/records.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { problemOf } from '../../../shared/problem.ts';
import type { Handler } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import { invalid } from '../../http/errors.ts';
import { reachIn } from '../../sites/many-sites.ts';
import { readSites } from '../../sites/site-state.ts';
import { requireKnown } from '../../sites/sites.ts';
import { type PlanPublisher, publishPlans } from '../schedules/publish-plans.ts';
import { addChecks, newCheckId } from './add-checks.ts';
import { shownChecks } from './check-status.ts';
import type { StoredCheck } from './check-store.ts';
import { fitLabel } from './check-target.ts';

export type ChecksContext = RequestContext<'series' | 'siteStates'> & PlanPublisher;

type Edge = Output<(typeof operations)['getMatrix']>['edges'][number];

const SITES_PER_PAGE = 100;

export const getMatrixHandler: Handler<(typeof operations)['getMatrix'], ChecksContext> = async (
  context,
  { reach: whole },
  { sites: wanted },
) => {
  const reach = reachIn(wanted, whole);
  const sites = new Map<SiteId, Site>();
  const unreadable: Unreadable[] = [];
  let after: SiteId | null = null;
  do {
    const page = await context.sites.page(reach, after, SITES_PER_PAGE);
    for (const site of page.sites) sites.set(site.id, site);
    unreadable.push(...page.unreadable);
    after = page.next;
  } while (after !== null);
  const read = await readSites([...sites.keys()], (site) => edgesFrom(context, site));
  unreadable.push(...read.flatMap((one) => one.unreadable));
  // Hides sites that the token may not use.
  const edges = read.flatMap((one) => one.edges).filter(({ to }) => sites.has(to));
  const named = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const shown = [...sites.values()].filter(({ id }) => named.has(id)).map(({ id, name }) => ({ id, name }));
  return { success: true, sites: shown, edges, unreadable };
};

export const addMatrixHandler: Handler<(typeof operations)['addMatrix'], ChecksContext> = async (
  context,
  call,
  { sites: wanted, everySeconds },
) => {
  const sites = await Promise.all([...new Set(wanted)].map((site) => requireKnown(context, call.reach, site)));
  if (sites.length < 2) throw invalid('sites', 'expected two sites or more');
  const reachable = sites.filter(({ reachableAt }) => reachableAt !== null);
  let added = 0;
  for (const { id: site } of sites) {
    const { checks } = await context.checks.list(site);
    const known = new Set(checks.flatMap(({ toSite }) => toSite ?? []));
    const missing = reachable.filter(({ id }) => id !== site && !known.has(id));
    if (missing.length === 0) continue;
    const made = missing.map(
      ({ id: toSite, name }): StoredCheck => ({
        ...{ id: newCheckId(), label: fitLabel(name) ?? toSite, kind: 'site', toSite, everySeconds },
        ...{ agents: 'auto', enabled: true, createdAt: context.now().toISOString(), createdBy: call.token.id },
      }),
    );
    await addChecks(context, site, made);
    await call.audit({ to: missing.map(({ id }) => id).join(' '), everySeconds }, { site });
    await publishPlans(context, site);
    added += made.length;
  }
  const unreachable = sites.filter(({ reachableAt }) => reachableAt === null).map(({ id }) => id);
  return { success: true, added, unreachable };
};

/** Unreadable checks are listed as such, and hide no others. */
async function edgesFrom(context: ChecksContext, from: SiteId): Promise<{ edges: Edge[]; unreadable: Unreadable[] }> {
  try {
    const { checks, unreadable } = await context.checks.list(from);
    const toSites = checks.filter(({ kind }) => kind === 'site');
    const edges = (await shownChecks(context, from, toSites)).map(
      ({ id, toSite = '', state, since, path, measured: [last] }): Edge => {
        const { rttMs = null, lossPercent = null } = last ?? {};
        return { from, to: toSite, check: id, state, since, rttMs, lossPercent, path };
      },
    );
    return { edges, unreadable: unreadable.map(({ id, problem }) => ({ id: `${from} ${id}`, problem })) };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return { edges: [], unreadable: [{ id: from, problem: problemOf(error) }] };
  }
}
