/** `/templates`: parts that all sites with a tag have: settings, schedules, checks and hooks. */
import * as z from 'zod';
import {
  DeclaredCheck,
  DeclaredHook,
  DeclaredSchedule,
  only,
  TemplateSettings,
  templateParts,
} from '../declared/parts.ts';
import { SETTING_PATHS } from '../declared/settings.ts';
import { SiteId, Tag } from '../identity.ts';
import { Millis } from '../time.ts';
import { succeeded } from './device-terms.ts';
import { list } from './list.ts';
import { type Operations, Unreadables } from './operation.ts';
import { JsonValue, MAX_TAGS, Time, TokenId } from './records.ts';
import { discoveryFields, policyFields } from './sites.ts';

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
    body: only({ tags: Tags, ...templateParts }),
    response: Template.extend({
      success: succeeded,
      secrets: z
        .record(z.string(), z.string())
        .meta({ description: 'By the names of its hooks, the secrets that were made for them: they are shown once.' }),
      sites: TemplateSites,
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
} as const satisfies Operations;
