/** What is to be done so that all is as a file says. Made of what is there, and of nothing else. */
import type { Check } from '../api/checks.ts';
import type { DeviceEdit } from '../api/device-edits.ts';
import type { Hook } from '../api/hooks.ts';
import type { Site } from '../api/records.ts';
import type { Schedule } from '../api/schedules.ts';
import type { Template } from '../api/templates.ts';
import type { DeviceRecord } from '../device.ts';
import type { SiteId } from '../identity.ts';
import {
  type Comparable,
  comparableCheck,
  comparableHook,
  comparableTemplate,
  declaredSchedule,
  fixedOfCheck,
  fixedOfSchedule,
  shownSchedule,
} from './comparable.ts';
import { difference } from './difference.ts';
import { DEVICE_FIELD, type DeclaredDevice, type DeclaredFile, type DeclaredSite, type Pruned } from './file.ts';
import type { DeclaredCheck, DeclaredHook, DeclaredSchedule } from './parts.ts';
import { isSame } from './settings.ts';

/** A site as it is, with what of it the file names. */
export interface PresentSite {
  site: Site;
  schedules: readonly Schedule[];
  checks: readonly Check[];
  hooks: readonly Hook[];
  /** By their keys. */
  devices: ReadonlyMap<string, DeviceRecord>;
}

export interface Present {
  templates: readonly Template[];
  sites: ReadonlyMap<SiteId, PresentSite>;
}

/** Null: it is not there, or will not be. Never a secret. */
interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

type PartKind = 'schedule' | 'check' | 'hook';

type What =
  | { kind: 'site'; site: SiteId; body: object; settings: object | null; revision: number | null }
  | { kind: 'template'; name: string; body: object | null; revision: number | null }
  | { kind: PartKind; site: SiteId; name: string; id: string | null; body: object | null }
  | { kind: 'device'; site: SiteId; mac: string; edit: Partial<DeviceEdit> };

/** `body` is what is sent, with secrets: never shown. */
export type Step = What & { sign: '+' | '~' | '-'; fields: FieldChange[] };

/** In the order in which they can be done. */
export function planOf({ templates, sites, prune }: DeclaredFile, present: Present): Step[] {
  const steps: Step[] = sites.flatMap((site) => siteSteps(site, present.sites.get(site.id)?.site ?? null));
  const { add, change, remove } = difference(templates, present.templates, {
    wantedKey: ({ name }) => name,
    presentKey: ({ name }) => name,
    isSame: (wanted, there) => isSame(comparableTemplate(wanted, false), comparableTemplate(there, true)),
  });
  if (prune.templates)
    for (const { name, revision, ...there } of remove)
      steps.push(step('-', { kind: 'template', name, body: null, revision }, comparableTemplate(there, true), {}));
  for (const { wanted, present: there } of change)
    steps.push(templateStep('~', wanted, there.revision, comparableTemplate(there, true)));
  for (const wanted of add) steps.push(templateStep('+', wanted, null, {}));
  for (const site of sites) steps.push(...partSteps(site, present.sites.get(site.id) ?? null, prune));
  return steps;
}

function step(sign: Step['sign'], what: What, from: Comparable, to: Comparable): Step {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const fields = names
    .filter((field) => !isSame(from[field], to[field]))
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));
  return { sign, fields, ...what };
}

function templateStep(
  sign: '+' | '~',
  { name, ...body }: DeclaredFile['templates'][number],
  revision: number | null,
  from: Comparable,
): Step {
  return step(sign, { kind: 'template', name, body, revision }, from, comparableTemplate(body, false));
}

function siteSteps({ id, name, tags, settings }: DeclaredSite, there: Site | null): Step[] {
  const sorted = tags === undefined ? undefined : [...new Set(tags)].sort();
  const wanted = leaves({ name, tags: sorted, ...settings });
  if (there === null) {
    const body = { id, ...(name === undefined ? {} : { name }), ...(sorted === undefined ? {} : { tags: sorted }) };
    const more = Object.keys(settings).length === 0 ? null : settings;
    return [step('+', { kind: 'site', site: id, body, settings: more, revision: null }, {}, wanted)];
  }
  const all = leaves({ ...there, policy: there.policy ?? null });
  const from = Object.fromEntries(Object.keys(wanted).map((field) => [field, all[field] ?? null]));
  if (isSame(from, wanted)) return [];
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(sorted === undefined ? {} : { tags: sorted }),
    ...settings,
  };
  return [step('~', { kind: 'site', site: id, body, settings: null, revision: there.revision }, from, wanted)];
}

/** The settings one by one, such as `discovery.enabled`; those that are not given are not there. */
function leaves(settings: object): Comparable {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([field, value]) => {
      if (value === undefined) return [];
      if (field !== 'updates' && field !== 'discovery') return [[field, value]];
      const inner = Object.entries(value as object).filter(([, one]) => one !== undefined);
      return inner.map(([name, one]) => [`${field}.${name}`, one]);
    }),
  );
}

interface PartList<Wanted, There> {
  kind: PartKind;
  pruned: Pruned;
  wanted: readonly Wanted[] | undefined;
  there: readonly There[];
  nameOf(wanted: Wanted): string;
  nameOfThere(there: There): string;
  ofWanted(wanted: Wanted): Comparable;
  ofThere(there: There): Comparable;
  /** What cannot be changed: then the one is removed, and the other added. */
  fixed(part: Comparable): unknown;
  /** The body of the request that changes it. */
  changeOf(wanted: Wanted): object;
}

function partSteps(site: DeclaredSite, there: PresentSite | null, prune: DeclaredFile['prune']): Step[] {
  return [
    ...stepsOf<DeclaredSchedule, Schedule>(site.id, prune, {
      ...({ kind: 'schedule', pruned: 'schedules', wanted: site.schedules, there: there?.schedules ?? [] } as const),
      nameOf: ({ name }) => name,
      nameOfThere: ({ name }) => name,
      ...{ ofWanted: declaredSchedule, ofThere: shownSchedule, fixed: fixedOfSchedule },
      changeOf: ({ tool: _tool, arguments: _arguments, ...wanted }) => ({ ...scheduleDefaults, ...wanted }),
    }),
    ...stepsOf<DeclaredCheck, Check>(site.id, prune, {
      ...({ kind: 'check', pruned: 'checks', wanted: site.checks, there: there?.checks ?? [] } as const),
      nameOf: ({ label }) => label,
      nameOfThere: ({ label }) => label,
      ...{ ofWanted: comparableCheck, ofThere: comparableCheck, fixed: fixedOfCheck },
      changeOf: ({ everySeconds, agents, enabled }) => ({ everySeconds, agents, enabled }),
    }),
    ...stepsOf<DeclaredHook, Hook>(site.id, prune, {
      ...({ kind: 'hook', pruned: 'hooks', wanted: site.hooks, there: there?.hooks ?? [] } as const),
      nameOf: ({ name }) => name,
      nameOfThere: ({ name, id }) => name ?? id,
      ofWanted: (hook) => comparableHook(hook, false),
      ofThere: (hook) => comparableHook(hook, true),
      fixed: () => null,
      changeOf: (wanted) => wanted,
    }),
    ...(site.devices ?? []).flatMap((device) => deviceSteps(site.id, device, there?.devices.get(device.mac) ?? null)),
  ];
}

/** What a file leaves out of a schedule is as usual. */
const scheduleDefaults = {
  window: null,
  jitterSeconds: 60,
  startWithinSeconds: 600,
  until: null,
  agent: null,
  enabled: true,
};

function stepsOf<Wanted extends object, There extends { id: string; origin?: string | undefined }>(
  site: SiteId,
  prune: DeclaredFile['prune'],
  list: PartList<Wanted, There>,
): Step[] {
  const { kind, nameOf, nameOfThere, ofWanted, ofThere, fixed } = list;
  // What a template has made is the template's.
  const own = list.there.filter(({ origin }) => origin === undefined);
  const { add, change, remove } = difference<Wanted, There>(list.wanted ?? [], own, {
    wantedKey: nameOf,
    presentKey: nameOfThere,
    isSame: (wanted, there) => isSame(ofWanted(wanted), ofThere(there)),
  });
  const added = (wanted: Wanted) =>
    step('+', { kind, site, name: nameOf(wanted), id: null, body: wanted }, {}, ofWanted(wanted));
  const removed = (there: There) =>
    step('-', { kind, site, name: nameOfThere(there), id: there.id, body: null }, ofThere(there), {});
  return [
    // A site that lists none is not about them: a list that was lost must not remove what is there.
    ...(prune[list.pruned] && list.wanted?.length ? remove.map(removed) : []),
    ...change.flatMap(({ wanted, present }) => {
      const [from, to] = [ofThere(present), ofWanted(wanted)];
      if (!isSame(fixed(from), fixed(to))) return [removed(present), added(wanted)];
      return [step('~', { kind, site, name: nameOf(wanted), id: present.id, body: list.changeOf(wanted) }, from, to)];
    }),
    ...add.map(added),
  ];
}

function deviceSteps(site: SiteId, { mac, ...said }: DeclaredDevice, there: DeviceRecord | null): Step[] {
  const edit = Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[DEVICE_FIELD[name as keyof typeof DEVICE_FIELD], typeof value === 'boolean' ? Number(value) : value]];
    }),
  ) as Partial<DeviceEdit>;
  if (there === null) return [step('+', { kind: 'device', site, mac, edit }, {}, edit)];
  const from = Object.fromEntries(Object.keys(edit).map((field) => [field, there[field as keyof DeviceRecord]]));
  return isSame(from, edit) ? [] : [step('~', { kind: 'device', site, mac, edit }, from, edit)];
}
