/**
 * From the journal of a collection to the receivers of its hooks.
 *
 * The journal is the truth: a hook's `cursor` says up to which version its deliveries are written, and the key of a
 * delivery follows from the event. Whoever is stopped between two steps leaves a cursor that is behind or a delivery
 * that is pending, and the next task goes on there. So each event is delivered at least once, and none again that has
 * been recorded as delivered.
 *
 * While the deliveries of a hook fail, one is attempted at a time, and the others wait. So a receiver that hangs or is
 * away, with however many deliveries, takes hardly anything away from others.
 */

import type { DeviceEvent } from '../../shared/api/events.ts';
import type { HookEvent } from '../../shared/api/hooks.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { eventsOf } from '../devices/events.ts';
import type { JournalEntry } from '../dynamodb/change-row.ts';
import type { NewDelivery, StoredDelivery } from '../dynamodb/delivery-store.ts';
import type { DeviceKey } from '../dynamodb/device-codec.ts';
import type { RecentPresence, StoredHook } from '../dynamodb/hook-store.ts';
import type { Stores } from '../dynamodb/stores.ts';
import type { Log } from '../log/log.ts';
import { presenceChanged } from './flapping.ts';
import { requestFor } from './message.ts';
import type { HookQueue, Task } from './queue.ts';
import { nextAttempt, pauseMs, unlessTooLate } from './retry-schedule.ts';
import { SEND_WITHIN_MS, type SendOutcome, type SendSettings, send } from './send.ts';

export interface Outbox {
  /** Carries out a task. Rejects when the database or the queue fails; then the task has to be carried out again. */
  perform(task: Task): Promise<void>;
}

interface Dependencies extends Pick<Stores, 'hooks' | 'deliveries' | 'devices'> {
  queue: HookQueue;
  settings: Pick<SendSettings, 'allowPrivate' | 'resolve' | 'signal'> & { timeoutMs?: number };
  now(): Date;
  log: Log;
}

/** Entries of the journal for which deliveries are written before that is recorded. */
const ENTRIES_AT_ONCE = 100;
/** Tries to look for a change of many devices to be final: over a day, at the pauses below. */
const MAX_TRIES = 100;
const LOOK_AGAIN_MS = { first: 1_000, longest: 15 * 60_000 };
/** When an attempt of which nothing is heard counts as failed. Longer than an attempt may take. */
const ATTEMPT_ENDS_AFTER_MS = 3 * SEND_WITHIN_MS;
/** A success is recorded with the hook if the last one recorded is older. */
const NOTE_SUCCESS_EVERY_MS = 5 * 60_000;
const GONE = 410;

export function openOutbox({ hooks, deliveries, devices, queue, settings, now, log }: Dependencies): Outbox {
  const after = (ms: number) => new Date(now().getTime() + ms);

  async function look(site: SiteId, tries: number): Promise<void> {
    let isEarly = false;
    for (const hook of (await hooks.list(site)).hooks) isEarly = (await writeDeliveries(site, hook)) || isEarly;
    if (!isEarly) return;
    if (tries >= MAX_TRIES) return log.warn({ site }, 'hooks wait for a change of many devices that does not end');
    const pauseMs = Math.min(LOOK_AGAIN_MS.first * 2 ** tries, LOOK_AGAIN_MS.longest);
    await queue.send([{ task: { t: 'look', site, tries: tries + 1 }, notBefore: after(pauseMs) }]);
  }

  /** @returns whether there is a change that is not final yet, so that it is too early for its deliveries */
  async function writeDeliveries(site: SiteId, hook: StoredHook): Promise<boolean> {
    for (let current: StoredHook | null = hook; current !== null && isActive(current); ) {
      const { entries, next } = await devices.finalChanges(site, current.cursor, ENTRIES_AT_ONCE);
      const last = entries.at(-1);
      if (last === undefined) return next === 'not final';
      const { told, recent } = await toTell(site, current, entries);
      for (const delivery of told) await deliveries.add(site, delivery);
      // Last, so that whoever is stopped before it leaves all of this to the next one.
      const isMine = await hooks.advance(site, current, last.version, recent);
      if (isMine && next !== 'more') return next === 'not final';
      current = isMine ? { ...current, cursor: last.version, recent } : await hooks.find(site, hook.id);
    }
    return false;
  }

  async function toTell(
    site: SiteId,
    hook: StoredHook,
    entries: readonly JournalEntry[],
  ): Promise<{ told: NewDelivery[]; recent: RecentPresence }> {
    const unnamed = new Set<DeviceKey>();
    const noteUnnamed = (key: DeviceKey) => {
      unnamed.add(key);
      return '';
    };
    for (const entry of entries) eventsOf(entry, noteUnnamed);
    const names = await devices.namesOf(site, [...unnamed]);
    const told: NewDelivery[] = [];
    let { recent } = hook;
    const deliver = (event: DeviceEvent, type: HookEvent['type']) =>
      told.push(deliveryOf(site, hook, { ...event, type }));
    const wantsPresence = PRESENCE.some((type) => hook.events.includes(type));
    for (const event of entries.flatMap((entry) => eventsOf(entry, (key) => names.get(key) ?? ''))) {
      if (wantsPresence && event.device !== null && PRESENCE.some((type) => type === event.type)) {
        const change = presenceChanged(recent, event.device.key, Math.floor(Date.parse(event.at) / 1000));
        recent = change.recent;
        if (change.tell === 'flapping') deliver(event, 'flapping');
        if (change.tell !== 'change') continue;
      }
      if (hook.events.includes(event.type)) deliver(event, event.type);
    }
    return { told, recent };
  }

  async function deliver(site: SiteId, id: Pick<StoredDelivery, 'hook' | 'id'>): Promise<void> {
    const task: Task = { t: 'deliver', site, ...id };
    const delivery = await deliveries.find(site, id.hook, id.id);
    if (delivery === null || delivery.due === null) return;
    if (delivery.due > now()) return queue.send([{ task, notBefore: delivery.due }]);
    const hook = await hooks.find(site, id.hook);
    const obstacle = hook === null ? 'the hook was removed' : isActive(hook) ? null : 'the hook is disabled';
    if (hook === null || obstacle !== null) {
      return deliveries.settle(site, delivery, { state: 'dead', due: null, status: null, reason: obstacle });
    }
    if (hook.failingSince !== null && !isAskedFor(delivery)) {
      const mayAttempt =
        (hook.pausedUntil ?? now()) <= now() && (await hooks.reserveAttempt(site, hook, after(ATTEMPT_ENDS_AFTER_MS)));
      if (!mayAttempt) return putOff(site, delivery, hook.failingSince, hook.pausedUntil);
    }
    if (!(await deliveries.claim(site, delivery, after(ATTEMPT_ENDS_AFTER_MS)))) return;
    const attempts = delivery.attempts + 1;
    const { url, format, secret } = hook;
    const message = requestFor(format, { ...delivery, secret, at: now() });
    const outcome = await send(url, message, { timeoutMs: SEND_WITHIN_MS, ...settings, now });
    await (outcome.isDelivered
      ? succeeded(site, hook, delivery, outcome)
      : failed(site, hook, { ...delivery, attempts }, outcome));
  }

  /** Lets a delivery wait until its receiver may be well again. Its row stays as it is, because no attempt was made. */
  async function putOff(
    site: SiteId,
    delivery: StoredDelivery,
    failingSince: Date,
    pausedUntil: Date | null,
  ): Promise<void> {
    const soonest = Math.max(now().getTime(), pausedUntil?.getTime() ?? 0);
    // Not all at once: there may be thousands.
    const spreadMs = Math.random() * pauseMs(failingSince, now(), null);
    const notBefore = unlessTooLate(delivery, new Date(soonest + spreadMs));
    const { hook, id, status } = delivery;
    if (notBefore !== null) return queue.send([{ task: { t: 'deliver', site, hook, id }, notBefore }]);
    log.warn({ site, hook, delivery: id }, 'a delivery is given up, because its receiver fails');
    const reason = delivery.reason ?? `all deliveries have failed since ${failingSince.toISOString()}`;
    await deliveries.settle(site, delivery, { state: 'dead', due: null, status, reason });
  }

  async function succeeded(
    site: SiteId,
    hook: StoredHook,
    delivery: StoredDelivery,
    { status }: Extract<SendOutcome, { isDelivered: true }>,
  ): Promise<void> {
    await deliveries.settle(site, delivery, { state: 'delivered', due: null, status, reason: null });
    const isKnown = hook.deliveredAt !== null && hook.deliveredAt > after(-NOTE_SUCCESS_EVERY_MS);
    if (isKnown && hook.failingSince === null) return;
    await hooks.note(site, hook.id, { deliveredAt: now(), failingSince: null, pausedUntil: null });
  }

  async function failed(
    site: SiteId,
    hook: StoredHook,
    delivery: StoredDelivery,
    { status, reason, retryAfterMs }: Extract<SendOutcome, { isDelivered: false }>,
  ): Promise<void> {
    const about = { site, hook: hook.id, delivery: delivery.id, reason };
    const due = status === GONE ? null : nextAttempt(delivery, now(), retryAfterMs);
    if (status === GONE) {
      log.warn(about, 'a hook is disabled: its receiver says that it is gone for good');
    } else if (due === null) {
      log.warn(about, 'a delivery is given up');
    }
    await hooks.note(site, hook.id, {
      pausedUntil: after(pauseMs(hook.failingSince ?? now(), now(), retryAfterMs)),
      ...(hook.failingSince === null ? { failingSince: now() } : {}),
      ...(status === GONE ? { problem: 'its receiver answered 410 (Gone)' } : {}),
    });
    await deliveries.settle(site, delivery, { state: due === null ? 'dead' : 'pending', due, status, reason });
    const { hook: id } = delivery;
    if (due !== null) await queue.send([{ task: { t: 'deliver', site, hook: id, id: delivery.id }, notBefore: due }]);
  }

  return {
    async perform(task) {
      if (task.t === 'deliver') return deliver(task.site, { hook: task.hook, id: task.id });
      await look(task.site, task.tries).catch((error: unknown) => {
        // The site was removed, and its hooks with it.
        if (!(error instanceof ServiceError && error.code === 'site_forbidden')) throw error;
      });
    },
  };
}

const PRESENCE = ['online', 'offline', 'down'] as const;

const isActive = ({ enabled, problem }: StoredHook) => enabled && problem === null;

/** Whether a person waits for this attempt: then it is made at once, also while deliveries fail. */
const isAskedFor = ({ event, repeats, attempts }: StoredDelivery) =>
  attempts === 0 && (event.type === 'test' || repeats !== undefined);

/** Under a key that follows from the event, so that it is written once, however often the event is met. */
function deliveryOf(site: SiteId, hook: StoredHook, event: Omit<HookEvent, 'site'>): NewDelivery {
  const seconds = Math.floor(Date.parse(event.at) / 1000);
  const id = `${String(seconds).padStart(10, '0')}_${event.id.replace('.', '_')}`;
  return { hook: hook.id, id, webhookId: `${hook.id}_${id}`, event: { ...event, site } };
}
