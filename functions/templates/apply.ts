/**
 * Makes sites as their templates say. What is to be done follows from the rows alone, and the ids of what is made follow from
 * the templates, so that it can be done again from the beginning at any time: after a crash, and at the same time twice. A
 * site keeps as which templates it was made. Where that is something else than its tags say, the upkeep does it.
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
import { type PlanTeller, tellPlans } from '../monitoring/schedules/tell-plans.ts';
import { tellSettings } from '../sites/agents/settings-message.ts';
import type { Stores } from '../stores.ts';
import { openLimit } from '../table/slices.ts';
import type { MakeContext } from './part-kinds.ts';
import { changesOf, templateSteps } from './parts.ts';
import type { StoredTemplate } from './template-store.ts';

/** What it needs beside the stores: to tell agents what is another one. */
export type TemplateContext = PlanTeller &
  MakeContext &
  Pick<Stores, 'templates' | 'audit'> & { settings?: Pick<ServiceSettings, 'restoredAt'> };

/** Who has it done, for the audit. */
type AppliedBy = Pick<AuditEvent, 'actor' | 'requestId' | 'sourceAddress'>;
export const BY_UPKEEP: AppliedBy = { actor: 'templates', requestId: 'upkeep', sourceAddress: null };

export function appliedBy({ token, requestId, sourceAddress }: TokenCall): AppliedBy {
  return { actor: token.id, requestId, sourceAddress };
}

/** How long one request goes on. */
const APPLY_WITHIN_MS = 15_000;

export function deadline(): () => boolean {
  const until = performance.now() + APPLY_WITHIN_MS;
  return () => performance.now() >= until;
}

/** Sites at which something is done at the same time. */
const AT_ONCE = 8;
export const MAX_DETAIL = 200;
const MAX_PROBLEM = 300;

/**
 * All templates, in the order in which they count.
 * @throws {ServiceError} `unavailable` when one cannot be read: what it has made would be taken for what nobody wants
 */
export async function readTemplates({ templates }: Pick<TemplateContext, 'templates'>): Promise<StoredTemplate[]> {
  const { templates: all, unreadable } = await templates.list();
  const [first] = unreadable;
  if (first === undefined) return all;
  throw new ServiceError('unavailable', `The template "${first.id}" cannot be read: ${first.problem}`);
}

/** Those that are for a site. */
export function templatesFor({ tags }: Pick<Site, 'tags'>, all: readonly StoredTemplate[]): StoredTemplate[] {
  return all.filter((template) => template.tags.some((tag) => tags.includes(tag)));
}

/** Whether a site is still to be made as its templates say. */
export function isToBeMade(site: Site, all: readonly StoredTemplate[]): boolean {
  const own = templatesFor(site, all);
  if (site.templates === undefined) return own.length > 0;
  return own.length === 0 || site.templates.made !== digestOf(own);
}

/**
 * Makes all sites as their templates say that are not.
 * @param isTime whether to stop; asked before each site
 * @returns whether all were looked at. What has failed at a site stands in its row
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
      .filter((site) => isToBeMade(site, all))
      .map((site) =>
        limit(async () => {
          if (isTime()) return false;
          try {
            await applyTo(context, site, all, by);
            return true;
          } catch (error) {
            // One site holds up no other.
            context.log.error({ site: site.id, err: error }, 'a site could not be made as its templates say');
            return false;
          }
        }),
      ),
  );
  return !done.includes(false);
}

/** After a change of a site that is stored: what cannot be made now is left to the upkeep. Never rejects. */
export async function applyAfterChange(context: TemplateContext, site: SiteId, by: AppliedBy): Promise<void> {
  try {
    await applyAt(context, site, by);
  } catch (error) {
    context.log.error({ site, err: error }, 'a site could not be made as its templates say');
  }
}

/** The same for one site, whose tags may have changed. */
export async function applyAt(context: TemplateContext, id: SiteId, by: AppliedBy): Promise<void> {
  const site = await context.sites.find(id);
  if (site === null || (site.tags.length === 0 && site.templates === undefined)) return;
  const all = await readTemplates(context);
  if (isToBeMade(site, all)) await applyTo(context, site, all, by);
}

/** What would be done at the sites that are still to be made, at so many of them. */
export async function stepsEverywhere(
  context: TemplateContext,
  all: readonly StoredTemplate[],
  most: number,
): Promise<Step[]> {
  const sites = (await context.sites.list()).filter((site) => isToBeMade(site, all)).slice(0, most);
  const limit = openLimit(AT_ONCE);
  const steps = sites.map((site) =>
    limit(async (): Promise<Step[]> => {
      const own = templatesFor(site, all);
      const { site: after } = settle(site, wantedSettings(own), site.templates?.settings ?? {});
      const fields = changesOf(valuesOf(site), valuesOf(after));
      const parts = await templateSteps(context, site.id, own);
      // What a part that is added has for fields stands in the template.
      const shown = parts.map(({ step }) => (step.sign === '~' ? step : { ...step, fields: [] }));
      return [
        ...(fields.length === 0 ? [] : [{ sign: '~' as const, kind: 'site' as const, site: site.id, fields }]),
        ...shown,
      ];
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
  /** The first of each template that could not be done. */
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
    // What is no more is said, because a change is laid over the site as it was.
    return { policy: undefined, ...after, templates: isOver ? undefined : { ...templates, settings: held } };
  });
  if (changed === null) return;
  await placeAll(context.devices, changed, by.actor);
  await tellOf(context, changed, done, own, by);
}

/** Tells the agents and the audit what is another one now. */
async function tellOf(
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
    // Those that cannot be told now ask for them when they are back.
    await tellSettings(context, after).catch((error: unknown) =>
      context.log.warn({ site, err: error }, 'agents could not be told the settings of a template'),
    );
  }
  const told = [...done, ...set.map((path) => `~ ${path}`)];
  if (told.length === 0) return;
  await tellPlans(context, site);
  const detail = {
    templates: startOf(own.map(({ name }) => name).join(' '), MAX_DETAIL),
    done: startOf(told.join(', '), MAX_DETAIL),
  };
  await context.audit.record({ ...by, site, action: 'template.apply', detail });
}

const wantedSettings = (own: readonly StoredTemplate[]) => merged(own.map(({ settings }) => settings));

/** `+ check internet`, for the audit and for what has failed. */
export const titleOf = ({ sign, kind, name }: Step): string => `${sign} ${kind} ${name}`;

function digestOf(templates: readonly StoredTemplate[]): string {
  const of = templates.map(({ name, revision }) => [name, revision]);
  return createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 16);
}
