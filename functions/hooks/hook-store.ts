/** Hooks: where the events of a site are sent. Each has one row, with its settings and its progress. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { EventType } from '../../shared/api/events.ts';
import { HookFormat } from '../../shared/api/hook-events.ts';
import { Only, Quiet, SigningSecret } from '../../shared/api/hook-terms.ts';
import { Delivery, HookId } from '../../shared/api/hooks.ts';
import { Label, Origin, Time, TokenId } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { Digest, ReportTime } from '../../shared/schedule-terms.ts';
import { packText, unpackText } from '../devices/collection/packed-text.ts';
import { EXISTS, IS_NEW, IS_NOT_DELETED } from '../table/condition.ts';
import { listReadable } from '../table/readable.ts';
import { hookPartition, rows } from '../table/rows.ts';
import type { Item, Table } from '../table/table.ts';

/** The settings of a hook. The URL and the secret are never shown. */
const HookSettings = z.object({
  url: z.string(),
  format: HookFormat,
  events: z.array(EventType),
  secret: SigningSecret,
  enabled: z.boolean(),
  createdAt: Time,
  createdBy: TokenId,
  /** Changes of the collection up to this version are not sent: they precede the hook. */
  from: z.int().min(0),
  /** Whether devices with a randomized MAC are left out of `new`. */
  skipRandomMacs: z.boolean(),
  /** When a digest is sent, and from when on it covers changes: since it was chosen, and enabled. */
  digest: z.object({ at: Digest, from: Time }).optional(),
  /** When a report is sent, and from when on. */
  report: z.object({ at: ReportTime, from: Time }).optional(),
  name: Label.optional(),
  quiet: Quiet.optional(),
  only: Only.optional(),
  origin: Origin,
});
export type HookSettings = z.infer<typeof HookSettings>;

/**
 * The last three changes of the presence of a device (Unix, s), and whether a notification said that it is flapping. Only
 * devices that have changed within the last hour.
 */
const RecentPresence = z.record(z.string(), z.object({ at: z.array(z.number()).max(3), flapping: z.boolean() }));
export type RecentPresence = z.infer<typeof RecentPresence>;

/** A position in the journal: behind this version, and behind the event with this id of the entry that follows. */
const Position = z.object({ cursor: z.int().min(0), passed: z.string().nullable() });
export type Position = z.infer<typeof Position>;

/** The first e-mail of a thread. */
const Thread = z.object({ id: z.string(), subject: z.string() });
export type Thread = z.infer<typeof Thread>;

/** The progress of a hook and its deliveries. Times are Unix, ms. */
const Progress = Position.extend({
  recent: RecentPresence,
  /** Events ahead that are suppressed: the loss that they end was transient. */
  unsaid: z.array(z.string()),
  /** Messages of the minute that began then. */
  window: z.object({ since: z.number(), sent: z.int() }),
  /** What quiet hours hold: events behind that position, except these. They are sent when the quiet hours end. */
  held: z.object({ from: Position, since: z.number(), until: z.number(), except: z.array(z.string()) }).nullable(),
  /** Until when its digests cover changes; null before the first digest. */
  digestedAt: z.number().nullable(),
  /** When its last report was due; null before the first one. */
  reportedAt: z.number().nullable().default(null),
  /** By what is down, the e-mail that said so: its end is an answer to it. Those that began last. */
  threads: z.record(z.string(), Thread).default({}),
  /** The newest first. One that is retried is the first. */
  deliveries: z.array(Delivery),
  /** Until when a process makes an attempt of which it has not recorded the end. */
  leasedUntil: z.number().nullable(),
  /** Attempts of the next message without a recorded end: perhaps it crashes the process. */
  brokenOff: z.int(),
  deliveredAt: z.number().nullable(),
  failingSince: z.number().nullable(),
  /** While deliveries fail: when the next attempt is due. */
  pausedUntil: z.number().nullable(),
  problem: z.string().nullable(),
});
export type Progress = z.infer<typeof Progress>;

export interface StoredHook extends HookSettings, Progress {
  id: string;
  /** Counts the writes of its row, which are conditional on it. */
  rev: number;
}

const FIRST: Omit<Progress, 'cursor'> = {
  ...{ passed: null, recent: {}, unsaid: [], window: { since: 0, sent: 0 }, held: null, digestedAt: null },
  ...{ reportedAt: null, threads: {} },
  ...{ deliveries: [], leasedUntil: null, brokenOff: 0 },
  ...{ deliveredAt: null, failingSince: null, pausedUntil: null, problem: null },
};

/** Attempts to change a hook while processes store its progress. */
const MAX_ATTEMPTS = 10;

export function openHookStore(table: Table) {
  async function find(site: SiteId, id: string): Promise<StoredHook | null> {
    const item = await table.get(rows.hook(site, id), { consistent: true });
    return item === null ? null : decodeHook(item);
  }

  /** @param settings whether to write the settings, too */
  async function write(site: SiteId, hook: StoredHook, settings: boolean): Promise<StoredHook | null> {
    const next = { ...hook, rev: hook.rev + 1 };
    const { d, p, rev } = encodeHook(site, next);
    const by = randomUUID();
    // The second condition: this call is retried when its response is lost.
    const isMine = { any: [{ equals: { rev: hook.rev } }, { equals: { rev, by } }] };
    const set = { p, rev, by, ...(settings ? { d } : {}) };
    return (await table.update(rows.hook(site, hook.id), { set }, isMine)) ? next : null;
  }

  return {
    find,

    /** The hooks of a site, ordered by id. A row that cannot be read is listed as unreadable, and hides no other. */
    async list(site: SiteId) {
      const { readable, unreadable } = await listReadable(table, hookPartition(site), null, decodeHook);
      return { hooks: readable, unreadable };
    },

    async add(site: SiteId, id: string, settings: HookSettings): Promise<void> {
      const row = encodeHook(site, { ...settings, ...FIRST, cursor: settings.from, id, rev: 0 });
      // Writers of the collection wake its hooks only if there may be some.
      await table.update(rows.site(site), { set: { hooked: 1 } }, IS_NOT_DELETED);
      const added = await table.transact([
        // Otherwise it could outlive the site, and report a later one of the same id.
        { check: rows.site(site), condition: IS_NOT_DELETED },
        // The second condition: this call is retried when its response is lost.
        { put: row, condition: { any: [IS_NEW, { equals: { d: row.d } }] } },
      ]);
      if (!added)
        throw new ServiceError('conflict', `The hook ${id} could not be added to the site "${site}"; try again`);
    },

    /**
     * @returns the hook after the change; null when there is none
     * @throws {ServiceError} `conflict` when another caller changes it at the same time
     */
    async change(site: SiteId, id: string, plan: (before: StoredHook) => HookSettings): Promise<StoredHook | null> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const before = await find(site, id);
        if (before === null) return null;
        const settings = plan(before);
        const isMoved = settings.from > before.cursor;
        const changed: StoredHook = {
          ...{ ...Progress.parse(before), id, rev: before.rev },
          ...settings,
          // A hook that is enabled again sends what happens from then on.
          ...(isMoved ? { cursor: settings.from, passed: null, held: null } : {}),
          leasedUntil: null,
          // This change may remove the cause of failures, so the next attempt need not wait.
          pausedUntil: null,
          ...(settings.enabled ? { problem: null } : { deliveries: before.deliveries.map(ended) }),
        };
        const after = await write(site, changed, true);
        if (after !== null) return after;
      }
      throw new ServiceError('conflict', `The hook ${id} is being changed by another caller; try again`);
    },

    /** @returns false when there is no such hook */
    remove: (site: SiteId, id: string): Promise<boolean> => table.remove(rows.hook(site, id), EXISTS),

    /** Stores the progress of a hook. @returns the hook then; null when its row has changed since it was read */
    save: (site: SiteId, hook: StoredHook, progress: Partial<Progress>) => write(site, { ...hook, ...progress }, false),
  };
}

function encodeHook(site: SiteId, { id, rev, ...hook }: StoredHook) {
  const key = rows.hook(site, id);
  const p = packText(JSON.stringify(Progress.parse(hook)), key.pk);
  return { ...key, d: JSON.stringify(HookSettings.parse(hook)), p, rev };
}

/** @throws when the item is no hook */
function decodeHook(item: Item): StoredHook {
  return {
    ...HookSettings.parse(JSON.parse(String(item.d))),
    ...Progress.parse(JSON.parse(unpackText(item.p, item.pk))),
    id: HookId.parse(item.sk),
    rev: z.number().parse(item.rev),
  };
}

/** Whether it sends events: a hook that its receiver has ended does not. */
export const isActive = ({ enabled, problem }: StoredHook): boolean => enabled && problem === null;

/** The delivery, which is not retried if the hook is disabled. */
function ended(delivery: Delivery): Delivery {
  if (delivery.state !== 'pending') return delivery;
  return { ...delivery, state: 'dead', nextAttemptAt: null, reason: 'the hook is disabled' };
}
