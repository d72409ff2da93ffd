/** How templates make the parts of a site: schedules, checks and hooks. */
import { createHash } from 'node:crypto';
import type { Site } from '../../../shared/api/records.ts';
import type { DeclaredCheck, DeclaredHook, DeclaredSchedule } from '../../../shared/declared/parts.ts';
import { canonical, isSame } from '../../../shared/declared/settings.ts';
import { ALL_SITES } from '../../access/reach.ts';
import type { HookSettings, StoredHook } from '../../hooks/hook-store.ts';
import { addHookAt, isSameHook, newHook, replacedHook } from '../../hooks/make-hook.ts';
import { makeSigningSecret } from '../../hooks/signature.ts';
import { addChecks } from '../../monitoring/checks/add-checks.ts';
import { readAgents } from '../../monitoring/checks/check-agents.ts';
import type { StoredCheck } from '../../monitoring/checks/check-store.ts';
import { readTarget } from '../../monitoring/checks/check-target.ts';
import {
  addScheduleAt,
  isSameSchedule,
  newSchedule,
  replacedSchedule,
} from '../../monitoring/schedules/make-schedule.ts';
import type { ScheduleSettings, StoredSchedule } from '../../monitoring/schedules/schedule-store.ts';
import type { Stores } from '../../stores.ts';
import { originOf } from './origin.ts';
import type { StoredTemplate } from './template-store.ts';

/** A part that a template makes at a site. */
interface Made<Part> {
  /** Follows from the template, its name, and what is never changed: the same at every site and at every try. */
  id: string;
  template: StoredTemplate;
  part: Part;
}

export interface Present {
  id: string;
  origin?: string | undefined;
}

export type MakeContext = Pick<Stores, 'sites' | 'devices' | 'schedules' | 'checks' | 'hooks'> & { now(): Date };

/** What is done with the parts of one kind. Each may throw a `ServiceError` that says why it cannot be done. */
export interface PartKind<Part, Stored extends Present> {
  wanted(template: StoredTemplate, site: Site): Made<Part>[];
  list(context: MakeContext, site: Site): Promise<Stored[]>;
  nameOf(part: Part | Stored): string;
  isSame(context: MakeContext, made: Made<Part>, stored: Stored): boolean;
  add(context: MakeContext, site: Site, made: Made<Part>): Promise<unknown>;
  change(context: MakeContext, site: Site, made: Made<Part>): Promise<unknown>;
  remove(context: MakeContext, site: Site, id: string): Promise<unknown>;
}

const schedules: PartKind<DeclaredSchedule, StoredSchedule> = {
  wanted: (template) =>
    template.schedules.map((part) => {
      const { name, tool, arguments: given } = part;
      return { id: idOf('schedule', template, [name, tool, given]), template, part };
    }),
  list: async (context, site) => (await context.schedules.list(site.id)).schedules,
  nameOf: ({ name }) => `schedule ${name}`,
  isSame: (context, made, stored) => isSameSchedule(scheduleOf(made, context.now()), stored),
  add: (context, site, made) => addScheduleAt(context, site, made.id, scheduleOf(made, context.now())),
  change: (context, site, made) =>
    context.schedules.change(site.id, made.id, (before) => replacedSchedule(scheduleOf(made, context.now()), before)),
  remove: (context, site, id) => context.schedules.remove(site.id, id),
};

function scheduleOf({ template, part }: Made<DeclaredSchedule>, now: Date): ScheduleSettings {
  return { ...newSchedule(part, template.changedBy, now), origin: originOf(template.name) };
}

const checks: PartKind<DeclaredCheck, StoredCheck> = {
  // No site checks itself: a template may have all of them check one that has the tag, too.
  wanted: (template, site) =>
    template.checks
      .filter(({ toSite }) => toSite !== site.id)
      .map((part) => {
        const { everySeconds, agents, enabled, ...asked } = part;
        return { id: idOf('check', template, asked), template, part };
      }),
  list: async (context, site) => (await context.checks.list(site.id)).checks,
  nameOf: ({ label }) => `check ${label}`,
  isSame: (_context, { part }, stored) => isSame(turnsOf(part), turnsOf(stored)),
  async add(context, site, { id, template, part }) {
    // Whether its author may use another site that it names was asked when the template was made.
    const target = await readTarget(context, { site: site.id, reach: ALL_SITES }, part);
    const agents = await readAgents(context, site.id, part.agents);
    const made = { createdAt: context.now().toISOString(), createdBy: template.changedBy };
    const { everySeconds, enabled } = part;
    await addChecks(context, site.id, [
      { id, ...target, everySeconds, agents, enabled, ...made, origin: originOf(template.name) },
    ]);
  },
  async change(context, site, { id, part }) {
    const agents = await readAgents(context, site.id, part.agents);
    await context.checks.change(site.id, id, (before) => ({ ...before, ...turnsOf(part), agents }));
  },
  remove: (context, site, id) => context.checks.remove(site.id, id),
};

function turnsOf({ everySeconds, agents, enabled }: Pick<DeclaredCheck, 'everySeconds' | 'agents' | 'enabled'>) {
  return { everySeconds, agents: typeof agents === 'string' ? agents : [...new Set(agents)], enabled };
}

const hooks: PartKind<DeclaredHook, StoredHook> = {
  wanted: (template) => template.hooks.map((part) => ({ id: idOf('hook', template, part.name), template, part })),
  list: async (context, site) => (await context.hooks.list(site.id)).hooks,
  nameOf: ({ name }) => `hook ${name}`,
  isSame: (context, made, stored) => isSameHook(hookOf(made, context.now()), stored),
  add: (context, site, made) => addHookAt(context, site.id, made.id, hookOf(made, context.now())),
  async change(context, site, made) {
    const version = await context.devices.carriedOut(site.id);
    const now = context.now();
    await context.hooks.change(site.id, made.id, (before) => replacedHook(hookOf(made, now), before, version, now));
  },
  remove: (context, site, id) => context.hooks.remove(site.id, id),
};

/** @param made of a template that is stored: its hooks have secrets */
function hookOf({ template, part }: Made<DeclaredHook>, now: Date): HookSettings {
  const { secret = makeSigningSecret() } = part;
  return { ...newHook({ ...part, secret }, template.changedBy, now), origin: originOf(template.name) };
}

/** In the order in which they are made. */
export const PART_KINDS = [schedules, checks, hooks] as unknown as readonly PartKind<unknown, Present>[];

function idOf(kind: string, { name }: StoredTemplate, fixed: unknown): string {
  return createHash('sha256')
    .update(canonical([kind, name, fixed]))
    .digest('hex')
    .slice(0, 12);
}
