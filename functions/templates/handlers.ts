/** `/templates`. */
import { shownUrl } from '../../shared/api/hook-terms.ts';
import type { DeclaredHook } from '../../shared/api/parts.ts';
import { differing, isSame, merged, valuesOf } from '../../shared/api/template-settings.ts';
import {
  MAX_NAMED_SITES,
  MAX_SITES_WITH_STEPS,
  type templates as operations,
  type Step,
  type Template,
  type TemplateSites,
} from '../../shared/api/templates.ts';
import { ServiceError } from '../../shared/errors.ts';
import { changesBetween } from '../http/audit-log.ts';
import type { Handlers, TokenCall } from '../http/call.ts';
import { requireScope } from '../http/caller.ts';
import type { RequestContext } from '../http/context.ts';
import { namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import type { Reach } from '../http/reach.ts';
import type { SitesContext } from '../sites/site-handlers.ts';
import {
  applied,
  appliedBy,
  applyEverywhere,
  etagOf,
  NOT_THERE,
  needsTemplates,
  readTemplates,
  stepsEverywhere,
  templatesFor,
  timeLimit,
} from './apply.ts';
import { applySite } from './apply-site.ts';
import { requirePossible, templateChanges, withSecrets } from './parts.ts';
import type { StoredTemplate } from './template-store.ts';

type TemplatesContext = RequestContext & SitesContext;

export const templatesHandlers: Handlers<typeof operations, TemplatesContext> = {
  applySite,

  async listTemplates(context, { reach }) {
    const { templates, unreadable } = await context.templates.list();
    const shown = templates.filter(({ tags }) => isWithin(reach, tags)).map(toApiTemplate);
    return { success: true, templates: shown, unreadable: reach.isAll ? unreadable : [] };
  },

  async getTemplate(context, { reach }, { template: name }) {
    const template = await requireTemplate(context, reach, name);
    const sites = await sitesOf(context, template, await readTemplates(context));
    return applied(template, { success: true, ...toApiTemplate(template), sites });
  },

  async putTemplate(context, call, { template: name, dryRun, ...given }) {
    const before = await context.templates.find(name);
    const wanted = { ...given, hooks: withKeptUrls(given.hooks, before?.hooks ?? []) };
    if (!isWithin(call.reach, wanted.tags)) {
      const message = `Only a token for all sites, or for the tags ${wanted.tags.join(', ')}, may have a template for them`;
      throw new ServiceError('site_forbidden', message);
    }
    // The message does not reveal its tags.
    if (before !== null && !isWithin(call.reach, before.tags)) {
      const message = `There is a template "${name}" for sites that the token may not use: take another name`;
      throw new ServiceError('site_forbidden', message);
    }
    requireRunning(call, [wanted, ...(before === null ? [] : [before])]);
    checkUnchanged(call, before);
    // No site has this id, so that no check concerns the site that makes it.
    const at = { site: '', reach: call.reach };
    await requirePossible(context, at, wanted, dryRun);
    const { hooks, made: secrets } = withSecrets(wanted.hooks, before?.hooks ?? []);
    const now = context.now();
    const template: StoredTemplate = {
      ...{ ...wanted, name, hooks, tags: [...new Set(wanted.tags)] },
      revision: Math.max(now.getTime(), (before?.revision ?? 0) + 1),
      ...{ changedAt: now.toISOString(), changedBy: call.token.id },
    };
    if (dryRun) {
      const others = (await readTemplates(context)).filter((one) => one.name !== name);
      const fields = templateChanges(before, template, now);
      const all = [...others, (fields === null && before) || template].sort((a, b) => (a.name < b.name ? -1 : 1));
      const sign = before === null ? '+' : '~';
      const own: Step[] = fields === null ? [] : [{ sign, kind: 'template', name, fields }];
      const steps = [...own, ...(await stepsEverywhere(context, all, MAX_SITES_WITH_STEPS))];
      const shown = { success: true as const, ...toApiTemplate(template), secrets: {} };
      return applied(before ?? NOT_THERE, { ...shown, sites: await sitesOf(context, template, all), steps });
    }
    if (!(await context.templates.put(template, before))) throw changedMeanwhile(name);
    const detail = auditDetail(template);
    await call.audit(detail, before === null ? {} : { changes: changesBetween(auditDetail(before), detail) });
    const isComplete = await applyEverywhere(context, appliedBy(call), timeLimit());
    const sites = await sitesOf(context, template, await readTemplates(context));
    const shown = { success: true as const, ...toApiTemplate(template), secrets: Object.fromEntries(secrets), sites };
    return applied(template, shown, isComplete);
  },

  async removeTemplate(context, call, { template: name }) {
    const template = await requireTemplate(context, call.reach, name);
    requireRunning(call, [template]);
    checkUnchanged(call, template);
    if (!(await context.templates.remove(template))) throw changedMeanwhile(name);
    await call.audit(auditDetail(template));
    const isComplete = await applyEverywhere(context, appliedBy(call), timeLimit());
    return new HandlerResult({ success: true, isComplete }, { status: isComplete ? 200 : 202 });
  },
};

/** The URL that an answer shows, which is not whole, stands for the stored one of the hook of this name. */
function withKeptUrls(hooks: readonly DeclaredHook[], before: StoredTemplate['hooks']): DeclaredHook[] {
  return hooks.map((hook) => {
    const stored = before.find(({ name }) => name === hook.name)?.url;
    const isKept = stored !== undefined && new URL(shownUrl(stored)).href === hook.url;
    return isKept ? { ...hook, url: stored } : hook;
  });
}

/** Whether a token may use all sites with these tags, now and later. */
function isWithin(reach: Reach, tags: readonly string[]): boolean {
  return tags.every((tag) => reach.covers(`tag:${tag}`) === true);
}

/**
 * Making agents run commands, or stopping that, needs a token that may run commands: as schedules and checks do at one site.
 * @throws {ServiceError} `forbidden`
 */
function requireRunning({ token }: TokenCall, about: readonly Pick<StoredTemplate, 'schedules' | 'checks'>[]): void {
  if (about.some(({ schedules, checks }) => schedules.length + checks.length > 0)) requireScope(token, 'nettools:run');
}

const changedMeanwhile = (name: string) =>
  new ServiceError('conflict', `The template "${name}" is being changed by another caller; read it again`);

async function requireTemplate({ templates }: TemplatesContext, reach: Reach, name: string): Promise<StoredTemplate> {
  const found = await templates.find(name);
  if (found !== null && isWithin(reach, found.tags)) return found;
  throw new ServiceError('not_found', `There is no template "${name}"`);
}

function checkUnchanged({ ifMatch }: { ifMatch: string | null }, template: StoredTemplate | null): void {
  const isThere = template !== null || ifMatch !== '*';
  if (ifMatch === null || (isThere && namesEtag(ifMatch, etagOf(template ?? NOT_THERE)))) return;
  const message = 'The template has been changed since it was read (If-Match): read it again';
  throw new ServiceError('precondition_failed', message);
}

/** The sites with a tag of the template: to how many it is applied, and which differ. */
async function sitesOf(
  context: TemplatesContext,
  { tags, settings: own }: StoredTemplate,
  all: readonly StoredTemplate[],
): Promise<TemplateSites> {
  const sites = await context.sites.list();
  const tagged = sites.filter((site) => site.tags.some((tag) => tags.includes(tag)));
  const others = tagged.filter((site) => needsTemplates(site, all));
  const different = tagged.flatMap((site) => {
    const wanted = merged(templatesFor(site, all).map(({ settings }) => settings));
    // Settings that another template decides are left out.
    const settings = differing(site, wanted, site.templates?.settings ?? {}).filter(({ setting, template }) =>
      isSame(valuesOf(own)[setting], template),
    );
    return settings.length === 0 ? [] : [{ site: site.id, settings }];
  });
  return {
    count: tagged.length,
    made: tagged.length - others.length,
    others: others
      .slice(0, MAX_NAMED_SITES)
      .map(({ id, templates }) => ({ site: id, problem: Object.values(templates?.failed ?? {})[0] ?? null })),
    differing: different.slice(0, MAX_NAMED_SITES),
  };
}

function toApiTemplate({ hooks, ...template }: StoredTemplate): Template {
  return { ...template, hooks: hooks.map(({ secret: _, url, ...hook }) => ({ ...hook, url: shownUrl(url) })) };
}

function auditDetail({ name, tags, settings, schedules, checks, hooks }: StoredTemplate) {
  const count = { schedules: schedules.length, checks: checks.length, hooks: hooks.length };
  return { template: name, tags: tags.join(' '), settings: Object.keys(settings).join(' '), ...count };
}
