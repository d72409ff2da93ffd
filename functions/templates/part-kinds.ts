/** The kinds of parts of a site: how each is compared, and how it is made. */
import { shownUrl } from '../../shared/api/hook-terms.ts';
import type { DeclaredCheck, DeclaredHook, PART_LISTS } from '../../shared/api/parts.ts';
import type { Site } from '../../shared/api/records.ts';
import type { DeclaredSchedule } from '../../shared/api/schedules.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { HookSettings, StoredHook } from '../hooks/hook-store.ts';
import type { Mailer } from '../hooks/mailer.ts';
import { addHookAt, newHook, replacedHook, requireReachable } from '../hooks/make-hook.ts';
import { makeSigningSecret } from '../hooks/signature.ts';
import type { RequestContext } from '../http/context.ts';
import { ALL_SITES, type Reach } from '../http/reach.ts';
import { addChecks } from '../monitoring/checks/add-checks.ts';
import { readAgents } from '../monitoring/checks/check-agents.ts';
import type { StoredCheck } from '../monitoring/checks/check-store.ts';
import { canonicalTarget, readTarget } from '../monitoring/checks/check-target.ts';
import {
  addScheduleAt,
  newSchedule,
  replacedSchedule,
  requireRunnable,
} from '../monitoring/schedules/make-schedule.ts';
import type { ScheduleSettings, StoredSchedule } from '../monitoring/schedules/schedule-store.ts';
import type { Stores } from '../stores.ts';

export interface Wanted<Part> {
  /** Of a part of a template: follows from the template, its name, and its fixed fields, so that it is the same at every try. */
  id: string;
  part: Part;
  /** The token that wants it. */
  by: string;
  origin: { origin?: string };
}

export interface Present {
  id: string;
  origin?: string | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;
export type MakeContext = Pick<Stores, 'sites' | 'devices' | 'schedules' | 'checks' | 'hooks'> & { now(): Date };
export type PossibleContext = MakeContext & Pick<RequestContext, 'settings'> & { mail?: Mailer };

/** The operations on the parts of one kind. Each may throw a `ServiceError` with the reason for which it is impossible. */
export interface PartKind<Part, Stored extends Present> {
  kind: 'schedule' | 'check' | 'hook';
  list: (typeof PART_LISTS)[number];
  nameOf(part: Part | Stored): string;
  /** Throws when no site can have it. */
  require(context: PossibleContext, at: { site: SiteId; reach: Reach }, part: Part): unknown;
  /** The fields that are compared, in one form for all notations. */
  ofWanted(wanted: Wanted<Part>, now: Date): Fields;
  ofStored(stored: Stored): Fields;
  /** The fields that cannot be changed: a part with others replaces it. */
  fixed(fields: Fields): unknown;
  /** Without secrets. */
  shown?(fields: Fields): Fields;
  add(context: MakeContext, site: Site, wanted: Wanted<Part>): Promise<unknown>;
  change(context: MakeContext, site: Site, wanted: Wanted<Part>, id: string): Promise<unknown>;
}

const schedules: PartKind<DeclaredSchedule, StoredSchedule> = {
  ...{ kind: 'schedule', list: 'schedules' },
  nameOf: ({ name }) => name,
  require: (context, _at, part) => newSchedule(part, '', context.now()),
  ofWanted: (wanted, now) => scheduleFields(scheduleOf(wanted, now)),
  ofStored: scheduleFields,
  fixed: ({ tool, arguments: given }) => [tool, given],
  add: (context, site, wanted) => addScheduleAt(context, site, wanted.id, scheduleOf(wanted, context.now())),
  async change(context, site, wanted, id) {
    const settings = scheduleOf(wanted, context.now());
    await requireRunnable(context, site, settings);
    await context.schedules.change(site.id, id, (before) => replacedSchedule(settings, before));
  },
};

function scheduleOf({ part, by, origin }: Wanted<DeclaredSchedule>, now: Date): ScheduleSettings {
  return { ...newSchedule(part, by, now), ...origin };
}

function scheduleFields({ request, timing, startWithinSeconds, agent, enabled }: ScheduleSettings): Fields {
  const { tool, ...given } = request;
  const { from: _, until, ...times } = timing;
  const ends = until === undefined ? {} : { until: new Date(until).toISOString() };
  return { tool, arguments: given, ...times, ...ends, agent, startWithinSeconds, enabled };
}

const checks: PartKind<DeclaredCheck, StoredCheck> = {
  ...{ kind: 'check', list: 'checks' },
  nameOf: ({ label }) => label,
  require: readTarget,
  ofWanted: ({ part }) => checkFields(part),
  ofStored: checkFields,
  fixed: ({ everySeconds, agents, enabled, ...rest }) => rest,
  async add(context, site, { id, part, by, origin }) {
    // The reach of its author was checked when the part was stored.
    const target = await readTarget(context, { site: site.id, reach: ALL_SITES }, part);
    const agents = await readAgents(context, site.id, part.agents);
    const made = { createdAt: context.now().toISOString(), createdBy: by, ...origin };
    await addChecks(context, site.id, [{ id, ...target, ...turnsOf(part), agents, ...made }]);
  },
  async change(context, site, { part }, id) {
    const agents = await readAgents(context, site.id, part.agents);
    await context.checks.change(site.id, id, (before) => ({ ...before, ...turnsOf(part), agents }));
  },
};

function turnsOf({ everySeconds, agents, enabled }: Pick<DeclaredCheck, 'everySeconds' | 'agents' | 'enabled'>) {
  return { everySeconds, agents: typeof agents === 'string' ? agents : [...new Set(agents)], enabled };
}

function checkFields(check: DeclaredCheck | StoredCheck): Fields {
  const { id, label, createdAt, createdBy, origin, ...rest }: Partial<StoredCheck> = check;
  return { ...canonicalTarget(rest), ...turnsOf(check) };
}

const hooks: PartKind<DeclaredHook, StoredHook> = {
  ...{ kind: 'hook', list: 'hooks' },
  nameOf: ({ name, ...hook }) => name ?? ('id' in hook ? hook.id : ''),
  require: (context, _at, { url }) => requireReachable(context, url),
  ofWanted: (wanted, now) => hookFields(hookOf(wanted, now)),
  ofStored: (hook) => hookFields(withState(hook)),
  fixed: () => null,
  shown: ({ secret: _, url, ...fields }) => ({ ...fields, ...(typeof url === 'string' ? { url: shownUrl(url) } : {}) }),
  add: (context, site, wanted) => addHookAt(context, site.id, wanted.id, hookOf(wanted, context.now())),
  async change(context, site, wanted, id) {
    const version = await context.devices.carriedOut(site.id);
    const now = context.now();
    const settings = hookOf(wanted, now);
    await context.hooks.change(site.id, id, (before) => replacedHook(settings, withState(before), version, now));
  },
};

/** A hook that its receiver has ended is disabled, except for a template, which did not choose that. */
function withState(hook: StoredHook): StoredHook {
  return { ...hook, enabled: hook.enabled && (hook.problem === null || hook.origin !== undefined) };
}

function hookOf({ part, by, origin }: Wanted<DeclaredHook>, now: Date): HookSettings {
  return { ...newHook({ ...part, secret: part.secret ?? makeSigningSecret() }, by, now), ...origin };
}

function hookFields(hook: HookSettings) {
  const { url, format, skipRandomMacs, quiet, only, secret, enabled } = hook;
  const times = { digest: hook.digest?.at, report: hook.report?.at };
  return { url, format, events: [...hook.events].sort(), skipRandomMacs, quiet, only, secret, enabled, ...times };
}

/** In the order in which they are applied. */
export const PART_KINDS = [schedules, checks, hooks] as unknown as readonly PartKind<object, Present>[];
