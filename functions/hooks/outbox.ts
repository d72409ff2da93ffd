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

import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { Span } from '../devices/read-changes.ts';
import { rateLimitedWarnings } from '../http/rate-limited-log.ts';
import type { Stores } from '../stores.ts';
import { nextOf } from './blips.ts';
import { nextEnd, type ToTell } from './bursts.ts';
import { factsOf } from './chosen.ts';
import type { StoredDelivery } from './delivery-store.ts';
import { newsOf } from './from-journal.ts';
import type { StoredHook, Waiting } from './hook-store.ts';
import { requestFor } from './message.ts';
import type { HookQueue, Task } from './queue.ts';
import { foundLate, type Held, heldEvent, holding, isIn, versionOf } from './quiet.ts';
import { nextAttempt, pauseMs, unlessTooLate } from './retry-schedule.ts';
import { SEND_WITHIN_MS, type SendOutcome, type SendSettings, send } from './send.ts';

export interface Outbox {
  /** Carries out a task. Rejects when the database or the queue fails; then the task has to be carried out again. */
  perform(task: Task): Promise<void>;
}

type Failure = Extract<SendOutcome, { isDelivered: false }>;
/** Why a look at a hook has ended: all is written, a change of many devices goes on, or it has taken too long. */
type LookEnd = 'done' | 'not final' | 'time is over';

interface Dependencies extends Pick<Stores, 'hooks' | 'deliveries' | 'devices' | 'sites'> {
  queue: HookQueue;
  settings: Pick<SendSettings, 'allowPrivate' | 'resolve' | 'signal'> & {
    timeoutMs?: number;
    /** The address of the web console, if others than this host can open it. */
    console?: string | null;
  };
  now(): Date;
  log: Log;
}

/** Entries of the journal for which deliveries are written before that is recorded. */
const ENTRIES_AT_ONCE = 100;
/** Deliveries that are written at the same time. */
const WRITES_AT_ONCE = 16;
/** How long one task looks; what is left is the next one's. Well below what the function may take. */
const LOOK_WITHIN_MS = 20_000;
/** Tries to look for a change of many devices to be final: over a day, at the pauses below. */
const MAX_TRIES = 100;
const LOOK_AGAIN_MS = { first: 1_000, longest: 15 * 60_000 };
/** When an attempt of which nothing is heard counts as failed. Longer than an attempt may take. */
const ATTEMPT_ENDS_AFTER_MS = 3 * SEND_WITHIN_MS;
/** A success is recorded with the hook if the last one recorded is older. */
const NOTE_SUCCESS_EVERY_MS = 5 * 60_000;
const GONE = 410;
/** Failures in a row from which on a receiver counts as failing. One that fails now and then is told without a pause. */
const FAILING_AFTER = 3;
/** Attempts of a delivery that may be broken off. It may be the delivery that ends the process. */
const BROKEN_OFF_AT_MOST = 5;
/** A hook's deliveries that are late by that much are put into the queue again, which has lost them. */
const LATE_MS = 30 * 60_000;
const SWEEP_EVERY_MS = 3_600_000;
/** Deliveries are given up after a day, and their ids begin with the time of the event. */
const SWEEP_BACK_MS = 48 * 3_600_000;
const SWEEP_AT_ONCE = 1_000;
/** Tries to let a delivery hold more, while other processes do the same. */
const MAX_HOLDS = 10;

export function openOutbox({ hooks, deliveries, devices, sites, queue, settings, now, log }: Dependencies): Outbox {
  const warn = rateLimitedWarnings(log, () => now().getTime());
  const after = (ms: number) => new Date(now().getTime() + ms);

  async function look(site: SiteId, tries: number): Promise<void> {
    const until = after(LOOK_WITHIN_MS);
    const again = new Set<LookEnd>();
    for (const hook of (await hooks.list(site)).hooks) {
      again.add(now() > until ? 'time is over' : await writeDeliveries(site, hook, until));
      await sweep(site, hook);
    }
    if (again.has('time is over')) {
      return queue.send([{ task: { t: 'look', site, tries: 0 }, notBefore: now() }]);
    }
    if (!again.has('not final')) return;
    if (tries >= MAX_TRIES) return log.warn({ site }, 'hooks wait for a change of many devices that does not end');
    const pauseMs = Math.min(LOOK_AGAIN_MS.first * 2 ** tries, LOOK_AGAIN_MS.longest);
    await queue.send([{ task: { t: 'look', site, tries: tries + 1 }, notBefore: after(pauseMs) }]);
  }

  async function writeDeliveries(site: SiteId, hook: StoredHook, until: Date): Promise<LookEnd> {
    for (let current: StoredHook | null = hook; current !== null && isActive(current); ) {
      if (now() > until) return 'time is over';
      const { entries, next } = await devices.finalChanges(site, current.cursor, ENTRIES_AT_ONCE);
      const facts = await factsOf(devices, site, current, entries);
      const timeZone = current.quiet === undefined ? 'UTC' : await zoneOf(site);
      const { deliveries: told, held, state } = newsOf(site, current, entries, { facts, timeZone, now: now() });
      const end = next === 'not final' ? 'not final' : 'done';
      if (entries.length === 0 && told.length === 0 && held.length === 0) return end;
      for (let at = 0; at < told.length; at += WRITES_AT_ONCE) {
        await Promise.all(told.slice(at, at + WRITES_AT_ONCE).map((delivery) => deliveries.add(site, delivery)));
      }
      await hold(site, current, held, state.waiting);
      // Last, so that whoever is stopped before it leaves all of this to the next one.
      const cursor: number = entries.at(-1)?.version ?? current.cursor;
      const isMine = await hooks.advance(site, current, cursor, state);
      if (isMine && next !== 'more') {
        for (const notBefore of [nextEnd(state.bursts), nextOf(state.waiting)]) {
          if (notBefore !== null) await queue.send([{ task: { t: 'look', site, tries: 0 }, notBefore }]);
        }
        return end;
      }
      current = isMine ? { ...current, cursor, ...state } : await hooks.find(site, hook.id);
    }
    return 'done';
  }

  const zoneOf = async (site: SiteId) => (await sites.find(site))?.timeZone ?? 'UTC';

  /**
   * Lets what happened in quiet hours wait for their end. What is found after that is told by a message of its own.
   * @param waiting what is not to be told yet
   */
  async function hold(
    site: SiteId,
    hook: StoredHook,
    held: readonly Held[],
    waiting: readonly Waiting[],
  ): Promise<void> {
    for (const until of new Set(held.map(({ span }) => span.until.getTime()))) {
      const some = held.filter(({ span }) => span.until.getTime() === until);
      const [first] = some;
      if (first === undefined) continue;
      const events = some.map(({ event }) => event);
      await holdSome(site, hook, first.span, events, waiting);
    }
  }

  async function holdSome(
    site: SiteId,
    hook: StoredHook,
    span: Span,
    events: readonly ToTell[],
    waiting: readonly Waiting[],
  ): Promise<void> {
    const part = {
      // What has waited is older than what is behind the cursor.
      behind: Math.min(hook.cursor, ...hook.waiting.map(({ event }) => versionOf(event) - 1)),
      upTo: Math.max(...events.map(versionOf)),
      without: waiting.map(({ event }) => event.id),
      except: hook.quiet?.exceptEvents ?? [],
    };
    const delivery = holding(site, hook, span, part);
    let others = events;
    for (let tries = 0; tries < MAX_HOLDS; tries++) {
      const found = await deliveries.find(site, hook.id, delivery.id);
      if (found?.held === undefined) {
        await deliveries.add(site, delivery, span.until);
        continue;
      }
      const { held } = found;
      others = events.filter((event) => !isIn(held, event));
      if (others.length === 0) return;
      if (found.state !== 'pending' || found.attempts > 0) break;
      const behind = Math.min(held.behind, ...others.map((event) => versionOf(event) - 1));
      const more = { ...held, behind, upTo: Math.max(held.upTo, part.upTo), without: part.without };
      if (await deliveries.hold(site, found, more)) return;
    }
    await deliveries.add(site, foundLate(site, hook, span, others), span.until);
  }

  /** Puts what nobody attempts into the queue again: it was written, and the message that tells of it was lost. */
  async function sweep(site: SiteId, hook: StoredHook): Promise<void> {
    const last = hook.sweptAt ?? new Date(hook.createdAt);
    if (!isActive(hook) || last > after(-SWEEP_EVERY_MS) || !(await hooks.reserveSweep(site, hook, now()))) return;
    const from = String(Math.floor(after(-SWEEP_BACK_MS).getTime() / 1000)).padStart(10, '0');
    const late: Task[] = [];
    for await (const { due, ...delivery } of deliveries.pending(site, { hook: hook.id, from })) {
      if (due < after(-LATE_MS)) late.push({ t: 'deliver', site, ...delivery });
      if (late.length === SWEEP_AT_ONCE) break;
    }
    if (late.length === 0) return;
    log.warn({ site, hook: hook.id, late: late.length }, 'deliveries that nobody has attempted are put into the queue');
    await queue.send(late.map((task) => ({ task, notBefore: now() })));
  }

  async function deliver(site: SiteId, id: Pick<StoredDelivery, 'hook' | 'id'>): Promise<void> {
    const task: Task = { t: 'deliver', site, ...id };
    const delivery = await deliveries.find(site, id.hook, id.id);
    if (delivery === null || delivery.due === null) return;
    if (delivery.due > now()) return queue.send([{ task, notBefore: delivery.due }]);
    const [hook, itsSite] = await Promise.all([hooks.find(site, id.hook), sites.find(site, { consistent: false })]);
    // Deleted: when it is restored, what is not too late is found again, as what the queue has lost is.
    if (itsSite === null) return;
    const obstacle = hook === null ? 'the hook was removed' : isActive(hook) ? null : 'the hook is disabled';
    if (hook === null || obstacle !== null) {
      return deliveries.settle(site, delivery, { state: 'dead', due: null, status: null, reason: obstacle });
    }
    if (delivery.isUnderWay) return brokenOff(site, hook, delivery);
    const isPaused = hook.pausedUntil !== null && hook.pausedUntil > now();
    if ((isPaused || hook.failures >= FAILING_AFTER) && !isAskedFor(delivery)) {
      const mayAttempt = !isPaused && (await hooks.reserveAttempt(site, hook, after(ATTEMPT_ENDS_AFTER_MS)));
      if (!mayAttempt) return putOff(site, delivery, hook.failingSince ?? now(), hook.pausedUntil);
    }
    if (!(await deliveries.claim(site, delivery, after(ATTEMPT_ENDS_AFTER_MS)))) return;
    const attempts = delivery.attempts + 1;
    const outcome = await attempt(site, hook, delivery).catch(async (error: unknown) => {
      // This process stops in order, or the database fails: the next one attempts it at once.
      const { status, reason } = delivery;
      await deliveries.settle(site, delivery, { state: 'pending', due: now(), status, reason }).catch(() => {});
      throw error;
    });
    if (outcome === 'nothing to tell') {
      const reason = 'nothing of it is told any more';
      return deliveries.settle(site, delivery, { state: 'dead', due: null, status: null, reason });
    }
    await (outcome.isDelivered
      ? succeeded(site, hook, delivery, outcome)
      : failed(site, hook, { ...delivery, attempts }, outcome));
  }

  async function attempt(site: SiteId, hook: StoredHook, delivery: StoredDelivery) {
    // Again, after it was claimed: until then it may have been given more to tell.
    const current = delivery.held === undefined ? delivery : await deliveries.find(site, delivery.hook, delivery.id);
    const event = await heldEvent(devices, site, hook, current ?? delivery);
    if (event === null) return 'nothing to tell';
    const { url, format, secret } = hook;
    const { webhookId } = delivery;
    const message = requestFor(format, { webhookId, event, url, secret, at: now(), console: settings.console ?? null });
    return send(url, message, { timeoutMs: SEND_WITHIN_MS, ...settings, now });
  }

  /**
   * Counts an attempt as failed of which nobody has recorded the end. Perhaps it has ended its process, and would end the
   * next one as well: so it waits longer each time, and is given up after some.
   */
  async function brokenOff(site: SiteId, hook: StoredHook, delivery: StoredDelivery): Promise<void> {
    const times = delivery.brokenOff + 1;
    const due = times >= BROKEN_OFF_AT_MOST ? null : nextAttempt(delivery, now(), null);
    const outcome = { status: null, reason: 'the attempt was broken off before its end', retryAfterMs: null };
    await recordFailure(site, hook, { ...delivery, brokenOff: times }, outcome, due);
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
    warn(hook, { site, hook, delivery: id }, 'a delivery is given up, because its receiver fails');
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
    const well = { deliveredAt: now(), failingSince: null, pausedUntil: null, failures: 'none' } as const;
    await hooks.note(site, hook.id, well);
  }

  async function failed(site: SiteId, hook: StoredHook, delivery: StoredDelivery, outcome: Failure): Promise<void> {
    const due = outcome.status === GONE ? null : nextAttempt(delivery, now(), outcome.retryAfterMs);
    await recordFailure(site, hook, delivery, outcome, due);
  }

  async function recordFailure(
    site: SiteId,
    hook: StoredHook,
    { id, brokenOff, ...delivery }: StoredDelivery,
    { status, reason, retryAfterMs }: Pick<Failure, 'status' | 'reason' | 'retryAfterMs'>,
    due: Date | null,
  ): Promise<void> {
    const about = { site, hook: hook.id, delivery: id, reason };
    if (status === GONE) {
      log.warn(about, 'a hook is disabled: its receiver says that it is gone for good');
    } else if (due === null) {
      warn(hook.id, about, 'a delivery is given up');
    }
    const isFailing = hook.failures + 1 >= FAILING_AFTER || retryAfterMs !== null;
    const until = after(pauseMs(hook.failingSince ?? now(), now(), retryAfterMs));
    await hooks.note(site, hook.id, {
      failures: 'one more',
      ...(isFailing ? { pausedUntil: until } : {}),
      ...(hook.failingSince === null ? { failingSince: now() } : {}),
      ...(status === GONE ? { problem: 'its receiver answered 410 (Gone)' } : {}),
    });
    const state = due === null ? 'dead' : 'pending';
    await deliveries.settle(site, { id, brokenOff, ...delivery }, { state, due, status, reason, brokenOff });
    if (due !== null) await queue.send([{ task: { t: 'deliver', site, hook: hook.id, id }, notBefore: due }]);
  }

  return {
    async perform(task) {
      if (task.t === 'deliver') return deliver(task.site, { hook: task.hook, id: task.id });
      await look(task.site, task.tries).catch((error: unknown) => {
        // The site is deleted.
        if (!(error instanceof ServiceError && error.code === 'site_forbidden')) throw error;
      });
    },
  };
}

const isActive = ({ enabled, problem }: StoredHook) => enabled && problem === null;

/** Whether a person waits for this attempt: then it is made at once, also while deliveries fail. */
const isAskedFor = ({ event, repeats, attempts }: StoredDelivery) =>
  attempts === 0 && (event.type === 'test' || repeats !== undefined);
