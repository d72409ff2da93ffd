/** `PUT /sites/{site}`: applies the desired state of a site. */
import type { Input } from '../../shared/api/operation.ts';
import type { Site } from '../../shared/api/records.ts';
import { valuesOf } from '../../shared/api/template-settings.ts';
import type { templates as operations, Step } from '../../shared/api/templates.ts';
import { ServiceError } from '../../shared/errors.ts';
import { startOf } from '../../shared/text.ts';
import type { CallOf, Handler } from '../http/call.ts';
import { requireScope } from '../http/caller.ts';
import { publishPlans } from '../monitoring/schedules/publish-plans.ts';
import { checkUnchanged, type SitesContext, siteHandlers, sortedTags } from '../sites/site-handlers.ts';
import { requireKnown } from '../sites/sites.ts';
import { applied, MAX_DETAIL, NOT_THERE, timeLimit, titleOf } from './apply.ts';
import { changesOf, ownSteps, type PartStep, requirePossible, withSecrets } from './parts.ts';

type Operation = (typeof operations)['applySite'];
type Wanted = Input<Operation>;

/** Carries out nothing before everything that can be rejected is checked. */
export const applySite: Handler<Operation, SitesContext> = async (context, call, wanted) => {
  const { site: id, dryRun, prune, schedules, checks } = wanted;
  if (schedules !== undefined || checks !== undefined) requireScope(call.token, 'nettools:run');
  const there = call.reach.isAll ? await context.sites.find(id) : await requireKnown(context, call.reach, id);
  checkUnchanged(call, there ?? NOT_THERE);
  const hooks = there === null || wanted.hooks === undefined ? [] : (await context.hooks.list(id)).hooks;
  const own = hooks.filter(({ origin }) => origin === undefined);
  const complete = withSecrets(wanted.hooks ?? [], own);
  const parts = { schedules, checks, hooks: wanted.hooks && complete.hooks };
  const at = { site: id, reach: call.reach };
  await requirePossible(context, at, parts, dryRun);
  const steps = await ownSteps(context, { id, isThere: there !== null }, parts, { by: call.token.id, prune });
  const ofSite = siteStep(there, wanted);
  if (dryRun) {
    const all = [...ofSite, ...steps.map(({ step }) => step)];
    return applied(there ?? NOT_THERE, { success: true, steps: all, failed: null, secrets: {}, isComplete: true });
  }
  if (ofSite.length > 0) await applySettings(context, call, there, wanted);
  const { done, failed, isComplete } = await carryOut(context, await requireKnown(context, call.reach, id), steps);
  if (done.length > 0) {
    await publishPlans(context, id);
    await call.audit({ done: startOf(done.map(titleOf).join(', '), MAX_DETAIL) }, { site: id });
  }
  const isNew = (hook: string) => done.some(({ sign, kind, name }) => sign === '+' && kind === 'hook' && name === hook);
  const secrets = Object.fromEntries([...complete.made].filter(([hook]) => isNew(hook)));
  const body = { success: true, steps: [...ofSite, ...done], failed, secrets, isComplete };
  return applied(await requireKnown(context, call.reach, id), body, isComplete);
};

async function applySettings(
  context: SitesContext,
  call: CallOf<Operation>,
  there: Site | null,
  { site, name, tags, settings }: Wanted,
): Promise<void> {
  if (there !== null) {
    await siteHandlers.changeSite(context, call, { site, name, tags, ...settings });
    return;
  }
  await siteHandlers.addSite(context, call, { id: site, name, tags });
  // Its revision has just changed.
  const anyway = { ...call, ifMatch: null };
  if (Object.keys(settings).length > 0) await siteHandlers.changeSite(context, anyway, { site, ...settings });
}

/** Stops at the first rejected step, because later ones may depend on it. */
async function carryOut(context: SitesContext, site: Site, steps: readonly PartStep[]) {
  const done: Step[] = [];
  const isOver = timeLimit();
  for (const { step, act } of steps) {
    if (isOver()) return { done, failed: null, isComplete: false };
    try {
      await act(context, site);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { done, failed: `${titleOf(step).slice(2)}: ${error.message}`, isComplete: true };
    }
    done.push(step);
  }
  return { done, failed: null, isComplete: true };
}

function siteStep(there: Site | null, { site, name, tags, settings }: Wanted): Step[] {
  const wanted = fieldsOf({ name, tags: tags && sortedTags(tags), ...settings });
  if (there === null) return [{ sign: '+', kind: 'site', site, fields: changesOf({}, wanted) }];
  const all = fieldsOf({ ...there, policy: there.policy ?? null });
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const from = Object.fromEntries(given.map(([field]) => [field, all[field as keyof typeof all]]));
  const fields = changesOf(from, Object.fromEntries(given));
  return fields.length === 0 ? [] : [{ sign: '~', kind: 'site', site, fields }];
}

/** The settings one by one, such as `discovery.enabled`. */
function fieldsOf(
  site: Pick<Wanted, 'name' | 'tags'> & Parameters<typeof valuesOf>[0] & { reachableAt?: string | null | undefined },
) {
  const { name, tags, reachableAt, discovery } = site;
  const { gateways } = (discovery ?? {}) as Partial<Site['discovery']>;
  return { name, tags, reachableAt, ...valuesOf(site), 'discovery.gateways': gateways };
}
