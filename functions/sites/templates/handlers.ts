/** `/templates`. */
import { shownUrl } from '../../../shared/api/hook-terms.ts';
import type { Token } from '../../../shared/api/records.ts';
import {
  MAX_NAMED_SITES,
  type templates as operations,
  type Template,
  type TemplateSites,
} from '../../../shared/api/templates.ts';
import { differing, merged } from '../../../shared/declared/settings.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Reach } from '../../access/reach.ts';
import { requireReachable } from '../../hooks/make-hook.ts';
import { makeSigningSecret } from '../../hooks/signature.ts';
import { requireScope } from '../../http/authenticate.ts';
import type { Handlers, TokenCall } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import { validationError } from '../../http/errors.ts';
import { namesEtag } from '../../http/etag.ts';
import { HandlerResult } from '../../http/handler-result.ts';
import { readTarget } from '../../monitoring/checks/check-target.ts';
import { newSchedule } from '../../monitoring/schedules/make-schedule.ts';
import type { TemplateContext } from './apply.ts';
import { appliedBy, applyEverywhere, isToBeMade, readTemplates, templatesFor } from './apply.ts';
import type { StoredTemplate } from './template-store.ts';

type TemplatesContext = RequestContext & TemplateContext;

/** How long one request goes on; the upkeep does what is left. */
const APPLY_WITHIN_MS = 15_000;

export const templatesHandlers: Handlers<typeof operations, TemplatesContext> = {
  async listTemplates(context, { reach }) {
    const { templates, unreadable } = await context.templates.list();
    const shown = templates.filter(({ tags }) => isWithin(reach, tags)).map(toApiTemplate);
    return { success: true, templates: shown, unreadable: reach.isAll ? unreadable : [] };
  },

  async getTemplate(context, { reach }, { template: name }) {
    const template = await requireTemplate(context, reach, name);
    return answer(template, { success: true, ...toApiTemplate(template), sites: await sitesOf(context, template) });
  },

  async putTemplate(context, call, { template: name, ...wanted }) {
    const before = await context.templates.find(name);
    if (!isWithin(call.reach, wanted.tags)) throw new ServiceError('site_forbidden', forbidden(wanted.tags));
    // Its tags are none of the caller's business.
    if (before !== null && !isWithin(call.reach, before.tags)) {
      const message = `There is a template "${name}" for sites that the token may not use: take another name`;
      throw new ServiceError('site_forbidden', message);
    }
    requireRunning(call, [wanted, ...(before === null ? [] : [before])]);
    checkUnchanged(call, before);
    await requirePossible(context, call, wanted);
    const secrets = new Map<string, string>();
    const hooks = wanted.hooks.map((hook) => {
      const kept = hook.secret ?? before?.hooks.find((one) => one.name === hook.name)?.secret;
      const secret = kept ?? makeSigningSecret();
      if (kept === undefined) secrets.set(hook.name, secret);
      return { ...hook, secret };
    });
    const now = context.now();
    const template: StoredTemplate = {
      ...{ ...wanted, name, hooks, tags: [...new Set(wanted.tags)] },
      revision: Math.max(now.getTime(), (before?.revision ?? 0) + 1),
      ...{ changedAt: now.toISOString(), changedBy: call.token.id },
    };
    if (!(await context.templates.put(template, before))) throw changedByOthers(name);
    await call.audit(auditDetail(template));
    const isComplete = await applyEverywhere(context, appliedBy(call), deadline());
    const body = { success: true as const, ...toApiTemplate(template), secrets: Object.fromEntries(secrets) };
    return answer(template, { ...body, sites: await sitesOf(context, template) }, isComplete);
  },

  async removeTemplate(context, call, { template: name }) {
    const template = await requireTemplate(context, call.reach, name);
    requireRunning(call, [template]);
    checkUnchanged(call, template);
    if (!(await context.templates.remove(template))) throw changedByOthers(name);
    await call.audit(auditDetail(template));
    const isComplete = await applyEverywhere(context, appliedBy(call), deadline());
    return new HandlerResult({ success: true, isComplete }, { status: isComplete ? 200 : 202 });
  },
};

function deadline(): () => boolean {
  const until = Date.now() + APPLY_WITHIN_MS;
  return () => Date.now() >= until;
}

function answer<Body>({ revision }: StoredTemplate, body: Body, isComplete = true): HandlerResult {
  return new HandlerResult(body, { status: isComplete ? 200 : 202, headers: { ETag: etagOf(revision) } });
}

const etagOf = (revision: number): string => `"${revision}"`;

/** Whether a token may use all sites that have these tags, now and later. */
function isWithin(reach: Reach, tags: readonly string[]): boolean {
  return tags.every((tag) => reach.covers(`tag:${tag}`) === true);
}

const forbidden = (tags: readonly string[]) =>
  `Only a token for all sites, or for the tags ${tags.join(', ')}, may have a template for them`;

/**
 * Refuses whoever may run no commands what makes agents run them, or not any more: as at one site, where schedules and checks
 * demand that scope.
 * @throws {ServiceError} `forbidden`
 */
function requireRunning({ token }: TokenCall, about: readonly Pick<StoredTemplate, 'schedules' | 'checks'>[]): void {
  if (about.some(({ schedules, checks }) => schedules.length + checks.length > 0)) requireScope(token, 'nettools:run');
}

const changedByOthers = (name: string) =>
  new ServiceError('conflict', `The template "${name}" is being changed by somebody else; read it again`);

async function requireTemplate({ templates }: TemplatesContext, reach: Reach, name: string): Promise<StoredTemplate> {
  const found = await templates.find(name);
  if (found !== null && isWithin(reach, found.tags)) return found;
  throw new ServiceError('not_found', `There is no template "${name}"`);
}

function checkUnchanged({ ifMatch }: { ifMatch: string | null }, template: StoredTemplate | null): void {
  if (ifMatch === null || (template !== null && namesEtag(ifMatch, etagOf(template.revision)))) return;
  throw new ServiceError(
    'precondition_failed',
    'The template has been changed since it was read (If-Match): read it again',
  );
}

/** Refuses what could be made nowhere. */
async function requirePossible(
  context: TemplatesContext,
  { token, reach }: { token: Token; reach: Reach },
  { schedules, checks, hooks }: Pick<StoredTemplate, 'schedules' | 'checks' | 'hooks'>,
): Promise<void> {
  const within = async (path: string, check: () => unknown) => {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.fields === undefined) throw error;
      throw validationError(error.fields.map((one) => ({ ...one, path: `${path}.${one.path}` })));
    }
  };
  for (const [i, schedule] of schedules.entries())
    await within(`schedules.${i}`, () => newSchedule(schedule, token.id, context.now()));
  // No site has this id, so that none of the checks is about the site that makes it.
  for (const [i, check] of checks.entries())
    await within(`checks.${i}`, () => readTarget(context, { site: '', reach }, check));
  for (const [i, { url }] of hooks.entries()) await within(`hooks.${i}`, () => requireReachable(context, url));
}

/** How the sites with a tag of the template stand to it. */
async function sitesOf(context: TemplatesContext, { tags }: StoredTemplate): Promise<TemplateSites> {
  const [all, sites] = await Promise.all([readTemplates(context), context.sites.list()]);
  const own = sites.filter((site) => site.tags.some((tag) => tags.includes(tag)));
  const others = own.filter((site) => isToBeMade(site, all));
  const different = own.flatMap((site) => {
    const wanted = merged(templatesFor(site, all).map(({ settings }) => settings));
    const settings = differing(site, wanted, site.templates?.settings ?? {});
    return settings.length === 0 ? [] : [{ site: site.id, settings }];
  });
  return {
    count: own.length,
    made: own.length - others.length,
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
