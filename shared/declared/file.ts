/** A file that says how sites and templates are to be. What it does not name is left alone. */
import * as z from 'zod';
import { DeviceEdit } from '../api/device-edits.ts';
import { DeviceName } from '../api/device-terms.ts';
import { list } from '../api/list.ts';
import { Label, MAX_TAGS, ReachableAt } from '../api/records.ts';
import { settingFields } from '../api/sites.ts';
import { MAX_TEMPLATES, TemplateName } from '../api/templates.ts';
import type { EditableField } from '../device.ts';
import { SiteId, Tag } from '../identity.ts';
import { faultOfCron } from '../schedule-turns.ts';
import { readArguments } from '../tools/arguments.ts';
import {
  DeclaredCheck,
  DeclaredHook,
  DeclaredSchedule,
  MAX_TEMPLATE_PARTS,
  named,
  only,
  templateParts,
} from './parts.ts';

const edit = DeviceEdit.shape;
const Flag = z.boolean().optional();

/** What a file calls the fields of a device. */
export const DEVICE_FIELD = {
  ...{ name: 'devName', type: 'devType', model: 'devModel', owner: 'devOwner', group: 'devGroup' },
  ...{ location: 'devLocation', comments: 'devComments', parent: 'devParentMAC', port: 'devParentPort' },
  ...{ favorite: 'devFavorite', archived: 'devIsArchived', alertDown: 'devAlertDown' },
} as const satisfies Record<string, EditableField>;

export const DeclaredDevice = only({
  mac: DeviceName,
  ...{ name: edit.devName, type: edit.devType, model: edit.devModel, owner: edit.devOwner, group: edit.devGroup },
  ...{ location: edit.devLocation, comments: edit.devComments, parent: edit.devParentMAC, port: edit.devParentPort },
  ...{ favorite: Flag, archived: Flag, alertDown: Flag },
});
export type DeclaredDevice = z.output<typeof DeclaredDevice>;

const Tags = list(Tag, { max: MAX_TAGS });

/** One that can be: the service would refuse another one only when the steps before it are done. */
const PossibleSchedule = DeclaredSchedule.superRefine(({ tool, arguments: given, cron }, context) => {
  const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  const ofCron = cron === undefined ? null : faultOfCron(cron);
  if (ofCron !== null) fault(['cron'], ofCron);
  for (const { path, message } of readArguments(tool, given).faults) fault(path.split('.'), message);
});
const schedules = (max: number) => named(PossibleSchedule, ({ name }) => name, max);

export const DeclaredSite = only({
  id: SiteId,
  name: Label.optional(),
  tags: Tags.optional(),
  settings: only({ ...settingFields, reachableAt: ReachableAt.nullable().optional() }).default({}),
  schedules: schedules(100).optional(),
  checks: named(DeclaredCheck, ({ label }) => label, 1_000).optional(),
  hooks: named(DeclaredHook, ({ name }) => name, 20).optional(),
  devices: named(DeclaredDevice, ({ mac }) => mac, 10_000).optional(),
});
export type DeclaredSite = z.output<typeof DeclaredSite>;

const DeclaredTemplate = only({
  name: TemplateName,
  tags: list(Tag, { min: 1, max: MAX_TAGS }),
  ...templateParts,
  schedules: schedules(MAX_TEMPLATE_PARTS.schedules).default([]),
});

const PRUNED = ['templates', 'schedules', 'checks', 'hooks'] as const;
export type Pruned = (typeof PRUNED)[number];

export const DeclaredFile = only({
  templates: named(DeclaredTemplate, ({ name }) => name, MAX_TEMPLATES).default([]),
  sites: named(DeclaredSite, ({ id }) => id, 1_000).default([]),
  /** Kinds of which everything is removed that the file does not name: at the sites that it names, and of templates all. */
  prune: only({ templates: Flag, schedules: Flag, checks: Flag, hooks: Flag }).default({}),
}).superRefine(({ templates, prune }, context) => {
  // A list that was lost would remove them all.
  if (!prune.templates || templates.length > 0) return;
  const message =
    'the file names no template, and all of them would be removed; use "lanreach template remove" for that';
  context.addIssue({ code: 'custom', path: ['prune', 'templates'], message });
});
export type DeclaredFile = z.output<typeof DeclaredFile>;

/** `${NAME}` as the whole of a text: the value of a variable of the environment. */
const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const SECRET_FIELDS = ['url', 'secret'];

/**
 * Puts the values of variables into the URLs and the secrets of hooks, the only fields that no answer shows.
 * @param file as it was read, of whatever form
 * @returns it, and the names of the variables that are not set
 */
export function withVariables(
  file: unknown,
  values: Readonly<Record<string, string | undefined>>,
): { file: unknown; missing: string[] } {
  const missing: string[] = [];
  const filled = (hook: unknown) =>
    mapped(hook, (value, field) => {
      const [, name] = SECRET_FIELDS.includes(field) && typeof value === 'string' ? (VARIABLE.exec(value) ?? []) : [];
      if (name === undefined) return value;
      const found = values[name];
      if (found === undefined || found === '') missing.push(name);
      return found ?? '';
    });
  const withHooks = (part: unknown) =>
    mapped(part, (value, field) => (field === 'hooks' ? each(value, filled) : value));
  const whole = mapped(file, (value, field) =>
    field === 'sites' || field === 'templates' ? each(value, withHooks) : value,
  );
  return { file: whole, missing: [...new Set(missing)] };
}

function mapped(value: unknown, change: (value: unknown, field: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, change(inner, field)]));
}

function each(value: unknown, change: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : value;
}
