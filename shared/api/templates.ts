/** `/templates`, and `PUT /sites/{site}`: the settings, schedules, checks and hooks that sites are to have. */
import * as z from 'zod';
import { MAX_CHECKS, MAX_SCHEDULES } from '../agent/plan.ts';
import { SiteId, Tag } from '../identity.ts';
import { Millis } from '../time.ts';
import { succeeded } from './device-terms.ts';
import { MAX_HOOKS } from './hooks.ts';
import { list, only } from './list.ts';
import { type Operations, queryFlag, Unreadables } from './operation.ts';
import { DeclaredCheck, DeclaredHook, PART_LISTS, partLists, TemplateSettings, templateParts } from './parts.ts';
import { JsonValue, Label, MAX_TAGS, ReachableAt, Time, TokenId } from './records.ts';
import { DeclaredSchedule } from './schedules.ts';
import { discoveryFields, policyFields, settingFields } from './sites.ts';
import { SETTING_PATHS } from './template-settings.ts';

export const MAX_TEMPLATES = 50;

export const TemplateName = Tag.meta({ id: 'TemplateName', description: 'The name of a template.' });

const Tags = list(Tag, { min: 1, max: MAX_TAGS }).meta({ description: 'It is for the sites with any of these tags.' });

// As they are in answers, where nothing is left out that has a default.
const ShownSettings = TemplateSettings.extend({
  policy: z.strictObject(policyFields).meta({ id: 'TemplatePolicy' }).optional(),
  discovery: z.strictObject(discoveryFields).meta({ id: 'TemplateDiscovery' }).optional(),
}).meta({ id: 'TemplateSettings' });
const ShownSchedule = DeclaredSchedule.meta({ id: 'TemplateSchedule' });
const ShownCheck = DeclaredCheck.meta({ id: 'TemplateCheck' });
const ShownHook = z
  .strictObject({ ...DeclaredHook.shape, url: z.string().meta({ description: 'Scheme and host, and the end.' }) })
  .omit({ secret: true })
  .meta({ id: 'TemplateHook' });

export const Template = z
  .object({
    name: TemplateName,
    tags: Tags,
    settings: ShownSettings,
    schedules: z.array(ShownSchedule),
    checks: z.array(ShownCheck),
    hooks: z.array(ShownHook),
    revision: Millis.meta({ description: 'Grows with every change; also the ETag.' }),
    changedAt: Time,
    changedBy: TokenId,
  })
  .meta({ id: 'Template' });
export type Template = z.infer<typeof Template>;

/** Sites that are named. */
export const MAX_NAMED_SITES = 500;

const TemplateSites = z
  .object({
    count: z.int().min(0).meta({ description: 'Sites with a tag of the template.' }),
    made: z.int().min(0).meta({ description: 'Those that have all that their templates make.' }),
    others: z
      .array(
        z.object({
          site: SiteId,
          problem: z.string().nullable().meta({ description: 'What could not be made; null: it is still to be made.' }),
        }),
      )
      .max(MAX_NAMED_SITES)
      .meta({ description: 'The other ones. What is left is done within the hour.' }),
    differing: z
      .array(
        z.object({
          site: SiteId,
          settings: z.array(z.object({ setting: z.enum(SETTING_PATHS), site: JsonValue, template: JsonValue })),
        }),
      )
      .max(MAX_NAMED_SITES)
      .meta({
        description:
          'Sites of which somebody has set something else than the template. That stays, until it is set to the value of the template.',
      }),
  })
  .meta({ id: 'TemplateSites' });
export type TemplateSites = z.infer<typeof TemplateSites>;

/** What makes a site or a template as it is wanted. Never with a secret. */
export const Step = z
  .object({
    sign: z.enum(['+', '~', '-']).meta({ description: '`+` is added, `~` is changed, `-` is removed.' }),
    kind: z.enum(['site', 'template', 'schedule', 'check', 'hook']),
    site: SiteId.optional().meta({ description: 'Absent for a template.' }),
    name: z.string().optional().meta({ description: 'Absent for a site.' }),
    fields: z
      .array(z.object({ field: z.string(), from: JsonValue, to: JsonValue }))
      .meta({ description: 'What differs; null: it is not there, or will not be. Of a URL its host and its end.' }),
  })
  .meta({ id: 'Step' });
export type Step = z.infer<typeof Step>;
const Steps = z.array(Step).meta({ description: 'What was done. With `dryRun`: what would be.' });

/** Sites whose steps a template shows. */
export const MAX_SITES_WITH_STEPS = 100;

const SITE_PARTS = partLists({ schedules: MAX_SCHEDULES, checks: MAX_CHECKS, hooks: MAX_HOOKS });
const dryRun = queryFlag.meta({ description: '`true`: nothing is changed; the answer says what would be done.' });
const params = z.object({ template: TemplateName });
const about = { template: 'customers' };
const body = {
  tags: ['customers'],
  settings: { timeZone: 'Europe/Berlin', discovery: { enabled: true } },
  checks: [{ label: 'internet', kind: 'internet' as const }],
};
const example = {
  name: 'customers',
  ...body,
  schedules: [],
  checks: [{ label: 'internet', kind: 'internet' as const, everySeconds: 60, agents: 'auto' as const, enabled: true }],
  hooks: [],
  revision: 1793520900000,
  changedAt: '2026-11-01T08:15:00.000Z',
  changedBy: '0123456789abcdef',
};
const exampleSites = {
  count: 2,
  made: 2,
  others: [],
  differing: [
    { site: 'cabin', settings: [{ setting: 'timeZone' as const, site: 'Asia/Tokyo', template: 'Europe/Berlin' }] },
  ],
};

export const templates = {
  listTemplates: {
    method: 'GET',
    path: '/templates',
    scope: 'admin',
    summary: 'The templates: those all of whose sites the token may use',
    response: z.object({
      success: succeeded,
      templates: z.array(Template).max(MAX_TEMPLATES),
      unreadable: Unreadables,
    }),
    example: { response: { success: true, templates: [example], unreadable: [] } },
  },
  getTemplate: {
    method: 'GET',
    path: '/templates/{template}',
    scope: 'admin',
    summary: 'One template, and how the sites with its tags stand to it',
    params,
    response: Template.extend({ success: succeeded, sites: TemplateSites }),
    hasEtag: true,
    errors: ['not_found'],
    example: { params: about, response: { success: true, ...example, sites: exampleSites } },
  },
  putTemplate: {
    method: 'PUT',
    path: '/templates/{template}',
    scope: 'admin',
    audit: 'template.put',
    summary:
      'Make a template, or replace it: the sites with its tags get its parts and lose those that it has no more. What people have made there stays. With `If-Match` only if it is still as it was read',
    params,
    query: z.object({ dryRun }),
    body: only({ tags: Tags, ...templateParts }),
    response: Template.extend({
      success: succeeded,
      secrets: z
        .record(z.string(), z.string())
        .meta({ description: 'By the names of its hooks, the secrets that were made for them: they are shown once.' }),
      sites: TemplateSites,
      steps: Steps.optional().meta({
        description: `With \`dryRun\`: what would be done, at the first ${MAX_SITES_WITH_STEPS} sites.`,
      }),
    }),
    incomplete: 'What is left is done within the hour, or by the same call again.',
    hasEtag: true,
    errors: ['site_forbidden', 'conflict', 'precondition_failed'],
    example: {
      params: about,
      body,
      response: { success: true, ...example, secrets: {}, sites: { ...exampleSites, differing: [] } },
    },
  },
  removeTemplate: {
    method: 'DELETE',
    path: '/templates/{template}',
    scope: 'admin',
    audit: 'template.remove',
    summary: 'Remove a template with all that it has made',
    params,
    response: z.object({
      success: succeeded,
      isComplete: z
        .boolean()
        .meta({ description: 'false: what it has made at some sites is removed within the hour.' }),
    }),
    incomplete: 'What it has made at the other sites is removed within the hour.',
    errors: ['not_found', 'conflict', 'precondition_failed'],
    example: { params: about, response: { success: true, isComplete: true } },
  },
  applySite: {
    method: 'PUT',
    path: '/sites/{site}',
    scope: 'admin',
    audit: 'site.apply',
    summary:
      'Make a site as the body says, and add it if it is not there. What the body leaves out stays as it is; a schedule, check or hook that it lists is known by its name, and those of templates are theirs. With `If-Match` only if the settings are still as they were read',
    params: z.object({ site: SiteId }),
    query: z.object({ dryRun }),
    maxBody: 1024 * 1024,
    body: only({
      name: Label.optional(),
      tags: list(Tag, { max: MAX_TAGS }).optional(),
      settings: only({ ...settingFields, reachableAt: ReachableAt.nullable().optional() }).default({}),
      schedules: SITE_PARTS.schedules.optional(),
      checks: SITE_PARTS.checks.optional(),
      hooks: SITE_PARTS.hooks.optional(),
      prune: list(z.enum(PART_LISTS), { max: PART_LISTS.length }).default([]).meta({
        description: 'The lists from which all is removed that the body does not name, unless the list is empty.',
      }),
    }),
    response: z.object({
      success: succeeded,
      steps: Steps,
      failed: z.string().nullable().meta({
        description: 'Which step was refused, and why: those after it were not tried. null: none was.',
      }),
      isComplete: z.boolean().meta({ description: 'false: there are more steps than one request can take.' }),
      secrets: z.record(z.string(), z.string()).meta({
        description: 'By the names of hooks, the secrets that were made for them: they are shown once.',
      }),
    }),
    hasEtag: true,
    incomplete: 'The same call goes on.',
    errors: ['site_forbidden', 'conflict', 'precondition_failed'],
    example: {
      params: { site: 'home' },
      body: { checks: body.checks },
      response: {
        success: true,
        steps: [
          {
            ...{ sign: '+', kind: 'check', site: 'home', name: 'internet' },
            fields: [{ field: 'everySeconds', from: null, to: 60 }],
          },
        ],
        failed: null,
        isComplete: true,
        secrets: {},
      },
    },
  },
} as const satisfies Operations;
