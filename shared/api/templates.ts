/** `/templates`, and `PUT /sites/{site}`: the desired settings, schedules, checks and hooks of sites. */
import * as z from 'zod';
import { MAX_CHECKS, MAX_SCHEDULES } from '../agent/plan.ts';
import { SiteId, Tag } from '../identity.ts';
import { Millis } from '../time.ts';
import { MAX_HOOKS } from './hooks.ts';
import { list, only } from './list.ts';
import { answer, named, type Operations, queryFlag, route, succeeded, Unreadables } from './operation.ts';
import { DeclaredCheck, DeclaredHook, PART_LISTS, partLists, TemplateSettings, templateParts } from './parts.ts';
import { JsonValue, Label, MAX_TAGS, ReachableAt, Time, TokenId } from './records.ts';
import { DeclaredSchedule } from './schedules.ts';
import { discoveryFields, policyFields, settingFields } from './sites.ts';
import { SETTING_PATHS } from './template-settings.ts';

export const MAX_TEMPLATES = 50;

export const TemplateName = Tag.meta({ id: 'TemplateName', description: 'The name of a template.' });

const Tags = list(Tag, { min: 1, max: MAX_TAGS }).describe('It applies to the sites with any of these tags.');

// In answers, values with a default are always present.
const ShownSettings = TemplateSettings.extend({
  policy: z.strictObject(policyFields).meta({ id: 'TemplatePolicy' }).optional(),
  discovery: z.strictObject(discoveryFields).meta({ id: 'TemplateDiscovery' }).optional(),
}).meta({ id: 'TemplateSettings' });
const ShownSchedule = DeclaredSchedule.meta({ id: 'TemplateSchedule' });
const ShownCheck = DeclaredCheck.meta({ id: 'TemplateCheck' });
const ShownHook = z
  .strictObject({
    ...DeclaredHook.shape,
    url: z
      .string()
      .describe('Scheme, host, and the end; in `PUT`, this text keeps the stored URL of the hook of this name.'),
  })
  .omit({ secret: true })
  .meta({ id: 'TemplateHook' });

export const Template = named('Template', {
  name: TemplateName,
  tags: Tags,
  settings: ShownSettings,
  schedules: z.array(ShownSchedule),
  checks: z.array(ShownCheck),
  hooks: z.array(ShownHook),
  revision: Millis.describe('Increases with every change; also the ETag.'),
  changedAt: Time,
  changedBy: TokenId,
});
export type Template = z.infer<typeof Template>;

/** Listed sites. */
export const MAX_NAMED_SITES = 500;

const TemplateSites = named('TemplateSites', {
  count: z.int().min(0).describe('Sites with a tag of the template.'),
  made: z.int().min(0).describe('Those to which their templates are fully applied.'),
  others: z
    .array(
      z.object({
        site: SiteId,
        problem: z.string().nullable().describe('What failed; null: still pending.'),
      }),
    )
    .max(MAX_NAMED_SITES)
    .describe('The others. The service completes them within the hour.'),
  differing: z
    .array(
      z.object({
        site: SiteId,
        settings: z.array(z.object({ setting: z.enum(SETTING_PATHS), site: JsonValue, template: JsonValue })),
      }),
    )
    .max(MAX_NAMED_SITES)
    .describe(
      'Sites with settings that differ from the template, because they were set at the site. These stay until they are set to the value of the template.',
    ),
});
export type TemplateSites = z.infer<typeof TemplateSites>;

/** A step towards the desired state of a site or a template. Never contains a secret. */
export const Step = named('Step', {
  sign: z.enum(['+', '~', '-']).describe('`+` is added, `~` is changed, `-` is removed.'),
  kind: z.enum(['site', 'template', 'schedule', 'check', 'hook']),
  site: SiteId.optional().describe('Absent for a template.'),
  name: z.string().optional().describe('Absent for a site.'),
  fields: z
    .array(z.object({ field: z.string(), from: JsonValue, to: JsonValue }))
    .describe('The differences; null: absent. Of a URL its host and its end.'),
});
export type Step = z.infer<typeof Step>;
const Steps = z.array(Step).describe('The steps taken; with `dryRun` those that would be.');

/** Sites whose steps the answer about a template lists. */
export const MAX_SITES_WITH_STEPS = 100;

const SITE_PARTS = partLists({ schedules: MAX_SCHEDULES, checks: MAX_CHECKS, hooks: MAX_HOOKS });
const dryRun = queryFlag.describe('`true`: change nothing, and list the steps that would be taken.');
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
    ...route('GET', '/templates', 'admin'),
    summary: 'The templates whose sites the token may all use',
    response: answer({ templates: z.array(Template).max(MAX_TEMPLATES), unreadable: Unreadables }),
    example: { response: { success: true, templates: [example], unreadable: [] } },
  },
  getTemplate: {
    ...route('GET', '/templates/{template}', 'admin'),
    summary: 'One template, and the state of the sites with its tags',
    params,
    response: Template.extend({ success: succeeded, sites: TemplateSites }),
    hasEtag: true,
    errors: ['not_found'],
    example: { params: about, response: { success: true, ...example, sites: exampleSites } },
  },
  putTemplate: {
    ...route('PUT', '/templates/{template}', 'admin'),
    audit: 'template.put',
    summary:
      'Create or replace a template: the sites with its tags get its parts and lose those that it no longer has. Parts added at the site stay. With `If-Match` only if it is unchanged since it was read',
    params,
    query: z.object({ dryRun }),
    body: only({ tags: Tags, ...templateParts }),
    response: Template.extend({
      success: succeeded,
      secrets: z
        .record(z.string(), z.string())
        .describe('The generated secrets of its hooks, by name: shown only here.'),
      sites: TemplateSites,
      steps: Steps.optional().describe(
        `With \`dryRun\`: the steps that would be taken, at the first ${MAX_SITES_WITH_STEPS} sites.`,
      ),
    }),
    incomplete: 'The service completes the rest within the hour, or the same request again does.',
    hasEtag: true,
    errors: ['site_forbidden', 'conflict', 'precondition_failed'],
    example: {
      params: about,
      body,
      response: { success: true, ...example, secrets: {}, sites: { ...exampleSites, differing: [] } },
    },
  },
  removeTemplate: {
    ...route('DELETE', '/templates/{template}', 'admin'),
    audit: 'template.remove',
    summary: 'Remove a template with all parts that it has created',
    params,
    response: answer({
      isComplete: z.boolean().describe('false: its parts at some sites are removed within the hour.'),
    }),
    incomplete: 'Its parts at the other sites are removed within the hour.',
    errors: ['not_found', 'conflict', 'precondition_failed'],
    example: { params: about, response: { success: true, isComplete: true } },
  },
  applySite: {
    ...route('PUT', '/sites/{site}', 'admin'),
    audit: 'site.apply',
    summary:
      'Bring a site to the state in the body, and add it if it does not exist. Omitted fields stay as they are; schedules, checks and hooks are identified by name, and those of templates stay untouched. With `If-Match` only if the settings are unchanged since they were read',
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
      prune: list(z.enum(PART_LISTS), { max: PART_LISTS.length })
        .default([])
        .describe('The lists whose parts are removed if the body does not name them; never by an empty list.'),
    }),
    response: answer({
      steps: Steps,
      failed: z
        .string()
        .nullable()
        .describe('The rejected step, and why: those after it were not tried. null: none was.'),
      isComplete: z.boolean().describe('false: more steps remain than one request can take.'),
      secrets: z.record(z.string(), z.string()).describe('The generated secrets of hooks, by name: shown only here.'),
    }),
    hasEtag: true,
    incomplete: 'Send the same request again to continue.',
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
