/** The parts of a site, as declared by templates and `PUT /sites/{site}`. Each is identified by its name. */
import type * as z from 'zod';
import { checkFields, requireFieldsOf } from './checks.ts';
import { hookFields, requireHookFits } from './hooks.ts';
import { list, only } from './list.ts';
import { Label } from './records.ts';
import { SchedulePart } from './schedules.ts';
import { discoveryFields, settingFields } from './sites.ts';

export const DeclaredCheck = only({ ...checkFields, label: Label }).superRefine((check, context) =>
  requireFieldsOf(check.kind, check, (path, message) => context.addIssue({ code: 'custom', path: [path], message })),
);
export type DeclaredCheck = z.output<typeof DeclaredCheck>;

export const DeclaredHook = only({ ...hookFields, name: Label }).superRefine(requireHookFits);
export type DeclaredHook = z.output<typeof DeclaredHook>;

const CheckPart = DeclaredCheck.meta({ id: 'CheckPart' });
const HookPart = DeclaredHook.meta({ id: 'HookPart' });

/** The settings of templates: none that is specific to one LAN, such as its address or its gateway. */
export const TemplateSettings = only({
  ...settingFields,
  policy: settingFields.policy.unwrap().unwrap().optional(),
  discovery: only(discoveryFields).optional(),
});
export type TemplateSettings = z.output<typeof TemplateSettings>;

/** A list with unique names. */
export function named<Item extends z.ZodType>(item: Item, nameOf: (one: z.output<Item>) => string, max: number) {
  return list(item, { max }).superRefine((all, context) => {
    const names = all.map((one) => nameOf(one as z.output<Item>));
    const twice = names.findIndex((name, i) => names.indexOf(name) < i);
    if (twice >= 0) context.addIssue({ code: 'custom', path: [twice], message: `"${names[twice]}" is there twice` });
  });
}

/** The lists of parts, in the order in which they are applied. */
export const PART_LISTS = ['schedules', 'checks', 'hooks'] as const;

const MAX_TEMPLATE_PARTS = { schedules: 20, checks: 50, hooks: 5 } as const;

/** Lists of parts with these maximum lengths. */
export const partLists = ({ schedules, checks, hooks }: Record<(typeof PART_LISTS)[number], number>) => ({
  schedules: named(SchedulePart, ({ name }) => name, schedules),
  checks: named(CheckPart, ({ label }) => label, checks),
  hooks: named(HookPart, ({ name }) => name, hooks),
});
const lists = partLists(MAX_TEMPLATE_PARTS);

/** The parts that a template creates at each of its sites. */
export const templateParts = {
  settings: TemplateSettings.default({}),
  schedules: lists.schedules.default([]),
  checks: lists.checks
    .superRefine((checks, context) => {
      const at = checks.findIndex(({ device }) => device !== undefined);
      const message = 'expected a host: a device is one of a single site';
      if (at >= 0) context.addIssue({ code: 'custom', path: [at, 'device'], message });
    })
    .default([]),
  hooks: lists.hooks.default([]),
};
