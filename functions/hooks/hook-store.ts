/** Hooks: who is told of the events of a site. One row each: what it is, and beside it how far it has come. */
import * as z from 'zod';
import { EventType, NamedDevice } from '../../shared/api/events.ts';
import { HookEvent, HookEventType, HookFormat, MAX_NAMED } from '../../shared/api/hook-events.ts';
import { Only, Quiet, SigningSecret } from '../../shared/api/hook-terms.ts';
import { HookId } from '../../shared/api/hooks.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { Label, Origin, Time, TokenId } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { Digest } from '../../shared/schedule-terms.ts';
import { EXISTS, IS_NEW } from '../table/condition.ts';
import { hookPartition, rows } from '../table/rows.ts';
import { type Item, setOrRemove, type Table } from '../table/table.ts';

/** What a person has chosen. The URL and the secret are never shown. */
const HookSettings = z.object({
  url: z.string(),
  format: HookFormat,
  events: z.array(EventType),
  secret: SigningSecret,
  enabled: z.boolean(),
  createdAt: Time,
  createdBy: TokenId,
  /** Changes of the collection up to this version are not told: they were made before the hook was enabled. */
  from: z.int().min(0),
  /** Whether devices that made their MAC up are left out of `new`. */
  skipRandomMacs: z.boolean(),
  /** When it is told what has changed, and from when on that is told: since it is to be, and is enabled. */
  digest: z.object({ at: Digest, from: Time }).optional(),
  name: Label.optional(),
  quiet: Quiet.optional(),
  /** When its quiet hours were changed last; missing while they are as they were at first. */
  quietSince: Time.optional(),
  only: Only.optional(),
  origin: Origin,
});
export type HookSettings = z.infer<typeof HookSettings>;

/**
 * When the presence of a device changed last, up to three times (Unix, s), and whether people were told that it changes
 * again and again. Only devices that have changed within the last hour.
 */
const RecentPresence = z.record(z.string(), z.object({ at: z.array(z.number()).max(3), flapping: z.boolean() }));
export type RecentPresence = z.infer<typeof RecentPresence>;

/** Longest name that is kept of a device that is counted. */
export const BURST_NAME_CHARACTERS = 100;
/** Of a type of events: since when they are counted (Unix, ms), how many were told, and what is not told yet. */
const Burst = z.object({
  since: z.number(),
  told: z.int(),
  held: z
    .object({
      count: z.int(),
      devices: z.array(NamedDevice).max(MAX_NAMED),
      /** Of the last one, so that no later delivery has the same id. */
      last: z.object({ id: z.string(), at: z.string(), recordedAt: z.string(), actor: z.string(), cause: z.string() }),
    })
    .nullable(),
});
export type Burst = z.infer<typeof Burst>;
const Bursts = z.partialRecord(HookEventType, Burst);
export type Bursts = z.infer<typeof Bursts>;

/** Events that are told at a time (Unix, ms) unless they are over by then. */
const Waiting = z.object({ until: z.number(), event: HookEvent.omit({ site: true }) });
export type Waiting = z.infer<typeof Waiting>;

export interface StoredHook extends HookSettings {
  id: string;
  /** The version of the collection up to which all deliveries are written. */
  cursor: number;
  recent: RecentPresence;
  /** Of which types so many events were told lately that others are counted. */
  bursts: Bursts;
  waiting: Waiting[];
  /** Up to when its digests tell what has changed; null before the first. */
  digestedAt: Date | null;
  /** When its deliveries that nobody attempts were looked for last. */
  sweptAt: Date | null;
  deliveredAt: Date | null;
  failingSince: Date | null;
  /** Attempts that have failed since the last one that succeeded. */
  failures: number;
  /** While deliveries fail: when the next one may be attempted. */
  pausedUntil: Date | null;
  problem: string | null;
}

export interface HookStore {
  /** The hooks of a site, ordered by id. What cannot be read is named, and hides no other. */
  list(site: SiteId): Promise<{ hooks: StoredHook[]; unreadable: Unreadable[] }>;
  find(site: SiteId, id: string): Promise<StoredHook | null>;
  add(site: SiteId, id: string, settings: HookSettings): Promise<void>;
  /**
   * @returns the hook after the change; null when there is none
   * @throws {ServiceError} `conflict` when somebody else changes it at the same time
   */
  change(site: SiteId, id: string, plan: (before: StoredHook) => HookSettings): Promise<StoredHook | null>;
  /** @returns false when there is no such hook */
  remove(site: SiteId, id: string): Promise<boolean>;
  /** Records that the deliveries up to a version are written. @returns false when somebody else has been there first */
  advance(
    site: SiteId,
    hook: StoredHook,
    cursor: number,
    state: Pick<StoredHook, 'recent' | 'bursts' | 'waiting'>,
  ): Promise<boolean>;
  /** Records that a digest is written, which tells what has changed up to a time. */
  noteDigest(site: SiteId, id: string, until: Date): Promise<void>;
  /** Reserves the search for deliveries that nobody attempts. @returns false when somebody else has been there first */
  reserveSweep(site: SiteId, hook: StoredHook, now: Date): Promise<boolean>;
  /**
   * Reserves the only attempt that may be made until a time, for a hook whose deliveries fail.
   * @param hook as it was read
   * @returns false when somebody else has reserved one since then, or the hook was removed
   */
  reserveAttempt(site: SiteId, hook: StoredHook, until: Date): Promise<boolean>;
  /** Records how deliveries go; what is null is removed, and what is missing stays. `failures`: those since the last success */
  note(
    site: SiteId,
    id: string,
    outcome: Partial<Pick<StoredHook, 'deliveredAt' | 'failingSince' | 'pausedUntil' | 'problem'>> & {
      failures?: 'one more' | 'none';
    },
  ): Promise<void>;
}

export function openHookStore(table: Table): HookStore {
  async function find(site: SiteId, id: string): Promise<StoredHook | null> {
    const item = await table.get(rows.hook(site, id), { consistent: true });
    return item === null ? null : decodeHook(item);
  }

  return {
    find,

    async list(site) {
      const hooks: StoredHook[] = [];
      const unreadable: Unreadable[] = [];
      for await (const page of table.query(hookPartition(site), null, { consistent: true })) {
        for (const item of page) {
          try {
            hooks.push(decodeHook(item));
          } catch (error) {
            unreadable.push({ id: item.sk, problem: problemOf(error) });
          }
        }
      }
      return { hooks, unreadable };
    },

    async add(site, id, settings) {
      const d = JSON.stringify(settings);
      const added = await table.transact([
        // Otherwise it could outlive the site, and tell of a later one of the same id.
        { check: rows.site(site), condition: { all: [EXISTS, { equals: { gone: null } }] } },
        {
          put: { ...rows.hook(site, id), d, cursor: settings.from },
          // The second one: this call is repeated when its answer is lost.
          condition: { any: [IS_NEW, { equals: { d } }] },
        },
      ]);
      if (!added)
        throw new ServiceError('conflict', `The hook ${id} could not be added to the site "${site}"; try again`);
    },

    async change(site, id, plan) {
      const item = await table.get(rows.hook(site, id), { consistent: true });
      if (item === null) return null;
      const before = decodeHook(item);
      const settings = plan(before);
      const d = JSON.stringify(settings);
      // Whoever enables it again wants to hear of what happens from then on.
      const cursor = Math.max(before.cursor, settings.from);
      const after = {
        ...before,
        ...settings,
        cursor,
        pausedUntil: null,
        ...(settings.enabled ? { problem: null } : {}),
      };
      const change = {
        set: { d, ...(cursor === before.cursor ? {} : { cursor }) },
        // Whatever was wrong may be mended by this change, so the next delivery need not wait.
        remove: ['pausedUntil', ...(settings.enabled ? ['problem'] : [])],
      };
      // What it writes itself: this call is repeated when its answer is lost.
      const changed = await table.update(rows.hook(site, id), change, { in: { d: [String(item.d), d] } });
      if (!changed) throw new ServiceError('conflict', `The hook ${id} is being changed by somebody else; try again`);
      return after;
    },

    async remove(site, id) {
      return table.remove(rows.hook(site, id), EXISTS);
    },

    async advance(site, { id, cursor: seen }, cursor, state) {
      const { set, remove } = setOrRemove({
        cursor,
        recent: jsonOf(state.recent),
        bursts: jsonOf(state.bursts),
        waiting: jsonOf(state.waiting),
      });
      return table.update(rows.hook(site, id), { set, remove }, { equals: { cursor: seen } });
    },

    async noteDigest(site, id, until) {
      await table.update(rows.hook(site, id), { set: { digestedAt: until.getTime() } }, EXISTS);
    },

    async reserveSweep(site, { id, sweptAt }, now) {
      const asSeen = { all: [EXISTS, { equals: { sweptAt: sweptAt?.getTime() ?? null } }] };
      return table.update(rows.hook(site, id), { set: { sweptAt: now.getTime() } }, asSeen);
    },

    async reserveAttempt(site, { id, pausedUntil }, until) {
      const asSeen = { all: [EXISTS, { equals: { pausedUntil: pausedUntil?.getTime() ?? null } }] };
      return table.update(rows.hook(site, id), { set: { pausedUntil: until.getTime() } }, asSeen);
    },

    async note(site, id, { deliveredAt, failingSince, pausedUntil, problem, failures }) {
      const { set, remove } = setOrRemove({
        ...(failures === 'none' ? { failures: null } : {}),
        ...(deliveredAt === undefined ? {} : { deliveredAt: deliveredAt?.getTime() ?? null }),
        ...(failingSince === undefined ? {} : { failingSince: failingSince?.getTime() ?? null }),
        ...(pausedUntil === undefined ? {} : { pausedUntil: pausedUntil?.getTime() ?? null }),
        ...(problem === undefined ? {} : { problem }),
      });
      const add = failures === 'one more' ? { failures: 1 } : {};
      await table.update(rows.hook(site, id), { set, remove, add }, EXISTS);
    },
  };
}

/** @throws when the item is no hook */
function decodeHook(item: Item): StoredHook {
  return {
    ...HookSettings.parse(JSON.parse(String(item.d))),
    id: HookId.parse(item.sk),
    cursor: z.number().parse(item.cursor),
    recent: item.recent === undefined ? {} : RecentPresence.parse(JSON.parse(String(item.recent))),
    bursts: item.bursts === undefined ? {} : Bursts.parse(JSON.parse(String(item.bursts))),
    waiting: item.waiting === undefined ? [] : z.array(Waiting).parse(JSON.parse(String(item.waiting))),
    digestedAt: timeOf(item.digestedAt),
    sweptAt: timeOf(item.sweptAt),
    failures: typeof item.failures === 'number' ? item.failures : 0,
    deliveredAt: timeOf(item.deliveredAt),
    failingSince: timeOf(item.failingSince),
    pausedUntil: timeOf(item.pausedUntil),
    problem: typeof item.problem === 'string' ? item.problem : null,
  };
}

function timeOf(millis: unknown): Date | null {
  return typeof millis === 'number' ? new Date(millis) : null;
}

/** A map or a list as text; null when it is empty. */
function jsonOf(map: object): string | null {
  return Object.keys(map).length === 0 ? null : JSON.stringify(map);
}
