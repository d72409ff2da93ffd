/**
 * Applies templates to sites. The steps follow from the rows alone, and the ids of new parts from the templates, so that
 * everything can be repeated at any time: after a crash, and twice at the same time. A site stores which templates were
 * applied. Where its tags select others, the upkeep applies those.
 * @promise A template changes only what it made; what a person set at a site stays: `test/api/templates.test.ts`.
 */
import { createHash } from 'node:crypto';
import type { Site, SiteTemplates } from '../../shared/api/records.ts';
import { isSame, merged, SETTING_PATHS, settle, valuesOf } from '../../shared/api/template-settings.ts';
import type { Step } from '../../shared/api/templates.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { startOf } from '../../shared/text.ts';
import { placeAll } from '../devices/place-all.ts';
import type { AuditEvent } from '../http/audit-log.ts';
import type { TokenCall } from '../http/call.ts';
import type { ServiceSettings } from '../http/context.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { type PlanPublisher, publishPlans } from '../monitoring/schedules/publish-plans.ts';
import { publishSettings } from '../sites/agents/settings-message.ts';
import type { Stores } from '../stores.ts';
import { openLimit } from '../table/slices.ts';
import type { MakeContext } from './part-kinds.ts';
import { changesOf, templateSteps } from './parts.ts';
import type { StoredTemplate } from './template-store.ts';

/** Beside the stores: what sends changed settings and plans to agents. */
export type TemplateContext = PlanPublisher &
  MakeContext &
  Pick<Stores, 'templates' | 'audit'> & { settings?: Pick<ServiceSettings, 'restoredAt'> };

type AppliedBy = Pick<AuditEvent, 'actor' | 'person' | 'requestId' | 'sourceAddress'>;
export const BY_UPKEEP: AppliedBy = { actor: 'templates', requestId: 'upkeep', sourceAddress: null };

export function appliedBy({ token, person, requestId, sourceAddress }: TokenCall): AppliedBy {
  return { actor: token.id, person, requestId, sourceAddress };
}

/** @returns whether the time of one request for applying is over */
export function timeLimit(): () => boolean {
  const until = performance.now() + 15_000;
  return () => performance.now() >= until;
}

/** The revision of an absent site or template, so that a caller who has seen none can state that in `If-Match`. */
export const NOT_THERE = { revision: 0 };
export const etagOf = ({ revision }: { revision: number }): string => `"${revision}"`;

/** @param isComplete false when the upkeep has to continue */
export function applied(at: { revision: number }, body: object, isComplete = true): HandlerResult {
  return new HandlerResult(body, { status: isComplete ? 200 : 202, headers: { ETag: etagOf(at) } });
}

/** Sites handled at the same time. */
const AT_ONCE = 8;
export const MAX_DETAIL = 200;
const MAX_PROBLEM = 300;

/**
 * All templates, in the order of their precedence.
 * @throws {ServiceError} `unavailable` when one cannot be read: the parts that it has made would be removed
 */
export async function readTemplates({ templates }: Pick<TemplateContext, 'templates'>): Promise<StoredTemplate[]> {
  const { templates: all, unreadable } = await templates.list();
  const [first] = unreadable;
  if (first === undefined) return all;
  throw new ServiceError('unavailable', `The template "${first.id}" cannot be read: ${first.problem}`);
}

/** The templates of a site. */
export function templatesFor({ tags }: Pick<Site, 'tags'>, all: readonly StoredTemplate[]): StoredTemplate[] {
  return all.filter((template) => template.tags.some((tag) => tags.includes(tag)));
}

/** Whether templates are still to be applied to a site. */
export function needsTemplates(site: Site, all: readonly StoredTemplate[]): boolean {
  const own = templatesFor(site, all);
  if (site.templates === undefined) return own.length > 0;
  return own.length === 0 || site.templates.made !== digestOf(own);
}

/**
 * Applies templates to all sites that need it.
 * @param isTime whether to stop; called before each site
 * @returns whether all sites were handled; the failures of a site are in its row
 */
export async function applyEverywhere(
  context: TemplateContext,
  by: AppliedBy,
  isTime: () => boolean,
): Promise<boolean> {
  const [all, sites] = await Promise.all([readTemplates(context), context.sites.list()]);
  const limit = openLimit(AT_ONCE);
  const done = await Promise.all(
    sites
      .filter((site) => needsTemplates(site, all))
      .map((site) =>
        limit(async () => {
          if (isTime()) return false;
          try {
            await applyTo(context, site, all, by);
            return true;
          } catch (error) {
            // Other sites continue.
            context.log.error({ site: site.id, err: error }, 'cannot apply the templates of a site');
            return false;
          }
        }),
      ),
  );
  return !done.includes(false);
}

/** After a change of a site that is stored: after a failure, the upkeep retries. Never rejects. */
export async function applyAfterChange(context: TemplateContext, site: SiteId, by: AppliedBy): Promise<void> {
  try {
    await applyAt(context, site, by);
  } catch (error) {
    context.log.error({ site, err: error }, 'cannot apply the templates of a site');
  }
}

/** Applies the templates of one site, whose tags may have changed. */
export async function applyAt(context: TemplateContext, id: SiteId, by: AppliedBy): Promise<void> {
  const site = await context.sites.find(id);
  if (site === null || (site.tags.length === 0 && site.templates === undefined)) return;
  const all = await readTemplates(context);
  if (needsTemplates(site, all)) await applyTo(context, site, all, by);
}

/** The steps at the sites to which templates are still to be applied. @param most number of sites */
export async function stepsEverywhere(
  context: TemplateContext,
  all: readonly StoredTemplate[],
  most: number,
): Promise<Step[]> {
  const sites = (await context.sites.list()).filter((site) => needsTemplates(site, all)).slice(0, most);
  const limit = openLimit(AT_ONCE);
  const steps = sites.map((site) =>
    limit(async (): Promise<Step[]> => {
      const own = templatesFor(site, all);
      const { site: after } = settle(site, wantedSettings(own), site.templates?.settings ?? {});
      const fields = changesOf(valuesOf(site), valuesOf(after));
      const parts = await templateSteps(context, site.id, own);
      // The fields of an added part are those of the template.
      const shown = parts.map(({ step }) => (step.sign === '~' ? step : { ...step, fields: [] }));
      const ofSite: Step[] = fields.length === 0 ? [] : [{ sign: '~', kind: 'site', site: site.id, fields }];
      return [...ofSite, ...shown];
    }),
  );
  return (await Promise.all(steps)).flat();
}

async function applyTo(
  context: TemplateContext,
  site: Site,
  all: readonly StoredTemplate[],
  by: AppliedBy,
): Promise<void> {
  const own = templatesFor(site, all);
  const done: string[] = [];
  /** The first failure of each template. */
  const failed = new Map<string, string>();
  for (const { step, template, act } of await templateSteps(context, site.id, own)) {
    try {
      await act(context, site);
      done.push(titleOf(step));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (template !== null && !failed.has(template))
        failed.set(template, startOf(`${titleOf(step).slice(2)}: ${error.message}`, MAX_PROBLEM));
    }
  }
  const templates: SiteTemplates = {
    made: failed.size === 0 ? digestOf(own) : null,
    settings: {},
    failed: Object.fromEntries(failed),
  };
  const isOver = own.length === 0 && failed.size === 0;
  const wanted = wantedSettings(own);
  const changed = await context.sites.change(site.id, ({ templates: before, ...settings }) => {
    const { site: after, held } = settle(settings, wanted, before?.settings ?? {});
    // Absent settings are explicit, because a change is merged into the stored site.
    return { policy: undefined, ...after, templates: isOver ? undefined : { ...templates, settings: held } };
  });
  if (changed === null) return;
  await placeAll(context.devices, changed, by.actor);
  await announce(context, changed, done, own, by);
}

/** Sends the agents what has changed, and audits it. */
async function announce(
  context: TemplateContext,
  { before, after }: { before: Site; after: Site },
  done: readonly string[],
  own: readonly StoredTemplate[],
  by: AppliedBy,
): Promise<void> {
  const { id: site } = after;
  const [was, is] = [valuesOf(before), valuesOf(after)];
  const set = SETTING_PATHS.filter((path) => !isSame(was[path], is[path]));
  if (set.length > 0) {
    await context.sites.updateStaleness(site);
    // Agents that are not reached now request them when they reconnect.
    await publishSettings(context, after).catch((error: unknown) =>
      context.log.warn({ site, err: error }, 'cannot send the settings of a template to agents'),
    );
  }
  const changes = [...done, ...set.map((path) => `~ ${path}`)];
  if (changes.length === 0) return;
  await publishPlans(context, site);
  const detail = {
    templates: startOf(own.map(({ name }) => name).join(' '), MAX_DETAIL),
    done: startOf(changes.join(', '), MAX_DETAIL),
  };
  await context.audit.record({ ...by, site, action: 'template.apply', detail });
}

const wantedSettings = (own: readonly StoredTemplate[]) => merged(own.map(({ settings }) => settings));

/** `+ check internet`, for the audit and for failures. */
export const titleOf = ({ sign, kind, name }: Step): string => `${sign} ${kind} ${name}`;

function digestOf(templates: readonly StoredTemplate[]): string {
  const of = templates.map(({ name, revision }) => [name, revision]);
  return createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 16);
}
