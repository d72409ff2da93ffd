/** The parts of a site, its own and those of templates: the steps from the present ones to the wanted ones. */
import { createHash, randomBytes } from 'node:crypto';
import type * as z from 'zod';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { DeclaredCheck, DeclaredHook } from '../../shared/api/parts.ts';
import type { Site } from '../../shared/api/records.ts';
import type { DeclaredSchedule } from '../../shared/api/schedules.ts';
import { canonical, isSame, valuesOf } from '../../shared/api/template-settings.ts';
import type { Step } from '../../shared/api/templates.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { makeSigningSecret } from '../hooks/signature.ts';
import { validationError } from '../http/errors.ts';
import type { Reach } from '../http/reach.ts';
import { originOf, templateOf } from '../sites/origin.ts';
import {
  type Fields,
  type MakeContext,
  PART_KINDS,
  type PartKind,
  type PossibleContext,
  type Present,
  type Wanted,
} from './part-kinds.ts';
import type { StoredTemplate } from './template-store.ts';

/** The lists of a template, or of a request about one site. */
interface Parts {
  schedules?: readonly DeclaredSchedule[] | undefined;
  checks?: readonly DeclaredCheck[] | undefined;
  hooks?: readonly DeclaredHook[] | undefined;
}

export interface PartStep {
  step: Step;
  /** The name of its template; null for a part of the site alone. */
  template: string | null;
  act(context: MakeContext, site: Site): Promise<unknown>;
}

/** The steps that apply templates to the parts of a site. Unreadable parts stay. */
export async function templateSteps(
  context: MakeContext,
  site: SiteId,
  own: readonly StoredTemplate[],
): Promise<PartStep[]> {
  const steps = PART_KINDS.map(async (kind) => {
    const { there } = await read(context, kind, site);
    const wanted = own.flatMap((template) => wantedOf(kind, template, site, context.now()));
    const made = there.filter((part) => templateOf(part) !== null);
    return stepsOf(kind, { site, wanted, there: made, keyOf: ({ id }) => id, isPruned: true }, context.now());
  });
  return (await Promise.all(steps)).flat();
}

/**
 * The steps that give a site the own parts of a request, which are identified by their names.
 * @throws {ServiceError} `unavailable` when a part cannot be read: it would be added a second time
 */
export async function ownSteps(
  context: MakeContext,
  site: { id: SiteId; isThere: boolean },
  parts: Parts,
  { by, prune }: { by: string; prune: readonly string[] },
): Promise<PartStep[]> {
  const steps = PART_KINDS.map(async (kind) => {
    const list = parts[kind.list];
    if (list === undefined) return [];
    const { there, unreadable } = site.isThere ? await read(context, kind, site.id) : { there: [], unreadable: [] };
    const [first] = unreadable;
    if (first !== undefined) {
      const message = `A ${kind.kind} of ${site.id} cannot be read: ${first.id}: ${first.problem}`;
      throw new ServiceError('unavailable', message);
    }
    const wanted = list.map((part) => ({ id: randomBytes(6).toString('hex'), part, by, origin: {} }));
    // An empty list may be a mistake, and must not remove anything.
    const isPruned = prune.includes(kind.list) && wanted.length > 0;
    const own = there.filter(({ origin }) => origin === undefined);
    const keyOf = (_: Present | Wanted<object>, name: string) => name;
    return stepsOf(kind, { site: site.id, wanted, there: own, keyOf, isPruned }, context.now());
  });
  return (await Promise.all(steps)).flat();
}

/** @param before null for a new template @returns the differences; null when there are none */
export function templateChanges(
  before: StoredTemplate | null,
  after: StoredTemplate,
  now: Date,
): Step['fields'] | null {
  const fieldsOf = (template: StoredTemplate, isShown: boolean): Fields => ({
    ...{ tags: template.tags.toSorted(), ...valuesOf(template.settings) },
    ...Object.fromEntries(
      PART_KINDS.flatMap(({ shown = all, ...kind }) =>
        wantedOf(kind, template, '', now).map(({ part, ...one }) => {
          const fields = kind.ofWanted({ part, ...one }, now);
          return [`${kind.kind} ${kind.nameOf(part)}`, isShown ? shown(fields) : fields];
        }),
      ),
    ),
  });
  if (before === null) return changesOf({}, fieldsOf(after, true));
  if (isSame(fieldsOf(before, false), fieldsOf(after, false))) return null;
  return changesOf(fieldsOf(before, true), fieldsOf(after, true));
}

const all = (fields: Fields) => fields;

async function read(
  context: MakeContext,
  { list }: PartKind<object, Present>,
  site: SiteId,
): Promise<{ there: Present[]; unreadable: Unreadable[] }> {
  const { unreadable, ...found } = await context[list].list(site);
  return { there: Object.values(found).flat() as Present[], unreadable };
}

/** The parts of a template at a site. */
function wantedOf(
  kind: PartKind<object, Present>,
  template: StoredTemplate,
  site: SiteId,
  now: Date,
): Wanted<object>[] {
  const { name, changedBy: by } = template;
  const origin = { origin: originOf(name) };
  // No site checks itself: a template may have all sites check one that has the tag, too.
  const parts = template[kind.list].filter((part) => site === '' || !('toSite' in part) || part.toSite !== site);
  return parts.map((part) => {
    const fixed = kind.fixed(kind.ofWanted({ id: '', part, by, origin }, now));
    const text = canonical([kind.kind, name, kind.nameOf(part), fixed]);
    return { id: createHash('sha256').update(text).digest('hex').slice(0, 12), part, by, origin };
  });
}

interface Comparison {
  site: SiteId;
  wanted: readonly Wanted<object>[];
  there: readonly Present[];
  keyOf(part: Wanted<object> | Present, name: string): string;
  isPruned: boolean;
}

/** Of several parts with one key the first counts. A part that exists is neither added nor removed. */
function stepsOf(
  kind: PartKind<object, Present>,
  { site, wanted, there, keyOf, isPruned }: Comparison,
  now: Date,
): PartStep[] {
  const known = firstOf(there, (part) => keyOf(part, kind.nameOf(part)));
  const desired = firstOf(wanted, (one) => keyOf(one, kind.nameOf(one.part)));
  const { shown = all } = kind;
  const of = (sign: Step['sign'], part: object, from: Fields, to: Fields): Step => {
    return { sign, kind: kind.kind, site, name: kind.nameOf(part), fields: changesOf(shown(from), shown(to)) };
  };
  const add = (one: Wanted<object>): PartStep => ({
    step: of('+', one.part, {}, kind.ofWanted(one, now)),
    template: templateOf(one.origin),
    act: (context, at) => kind.add(context, at, one),
  });
  const remove = (part: Present): PartStep => ({
    step: of('-', part, kind.ofStored(part), {}),
    template: templateOf(part),
    act: (context) => context[kind.list].remove(site, part.id),
  });
  const change = (one: Wanted<object>, part: Present): PartStep[] => {
    const [from, to] = [kind.ofStored(part), kind.ofWanted(one, now)];
    if (isSame(from, to)) return [];
    if (one.id !== part.id && !isSame(kind.fixed(from), kind.fixed(to))) return [remove(part), add(one)];
    const act: PartStep['act'] = (context, at) => kind.change(context, at, one, part.id);
    return [{ step: of('~', one.part, from, to), template: templateOf(one.origin), act }];
  };
  return [
    // First, because it makes room.
    ...[...known].flatMap(([key, part]) => (isPruned && !desired.has(key) ? [remove(part)] : [])),
    ...[...desired].flatMap(([key, one]) => (known.has(key) ? change(one, known.get(key)!) : [])),
    ...[...desired].flatMap(([key, one]) => (known.has(key) ? [] : [add(one)])),
  ];
}

function firstOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return first;
}

/** The differing fields; an absent one counts as null. */
export function changesOf(from: Fields, to: Fields): Step['fields'] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null)) as z.core.util.JSONType;
  return names
    .map((field) => ({ field, from: plain(from[field]), to: plain(to[field]) }))
    .filter((one) => !isSame(one.from, one.to));
}

/** Adds a secret to each hook: its own, that of the hook of this name, or a new one, which is also listed. */
export function withSecrets(
  hooks: readonly DeclaredHook[],
  before: readonly { name?: string | undefined; secret?: string | undefined }[],
): { hooks: DeclaredHook[]; made: Map<string, string> } {
  const made = new Map<string, string>();
  const complete = hooks.map((hook) => {
    const kept = hook.secret ?? before.find(({ name }) => name === hook.name)?.secret;
    const secret = kept ?? makeSigningSecret();
    if (kept === undefined) made.set(hook.name, secret);
    return { ...hook, secret };
  });
  return { hooks: complete, made };
}

/**
 * Rejects parts that could not be made, with all their errors.
 * @param dryRun skips those about devices and other sites, which may be added before the real run
 */
export async function requirePossible(
  context: PossibleContext,
  at: { site: SiteId; reach: Reach },
  parts: Parts,
  dryRun: boolean,
): Promise<void> {
  const faults: FieldError[] = [];
  for (const kind of PART_KINDS) {
    for (const [i, part] of (parts[kind.list] ?? []).entries()) {
      if (dryRun && 'kind' in part && (part.device ?? part.toSite) !== undefined) continue;
      try {
        await kind.require(context, at, part);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.fields === undefined) throw error;
        faults.push(...error.fields.map((one) => ({ ...one, path: `${kind.list}.${i}.${one.path}` })));
      }
    }
  }
  if (faults.length > 0) throw validationError(faults);
}
