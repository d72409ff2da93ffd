/**
 * The turn of a hook: it reads the journal behind its cursor, sends one message after the other, and records each with one
 * conditional write. The cursor is the outbox: a process that crashes leaves it in place, and the next one sends the same
 * message with the same id. So each event is delivered at least once, in order.
 */

import type { Site } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { rateLimitedWarnings } from '../http/rate-limited-log.ts';
import type { ReportContext } from '../monitoring/reports/site-report.ts';
import type { Stores } from '../stores.ts';
import type { TaskQueue } from '../task-queue.ts';
import { type Message, progressAfter } from './attempt.ts';
import { factsOf } from './chosen.ts';
import { type DeliverySettings, deliver, sendWithinMs } from './deliver.ts';
import { dueReport, dueSpan } from './digests.ts';
import { isActive, type StoredHook } from './hook-store.ts';
import { threadsAfter } from './mail.ts';
import { type Next, nextOf } from './next.ts';
import { reportNotice } from './report-notice.ts';
import { DROP_AFTER_MS } from './retry-schedule.ts';
import type { SendOutcome } from './send.ts';
import { type Notice, stepsOf } from './steps.ts';
import { changesNotice, ENTRIES_AT_ONCE, heldNotice, noticeOf } from './summaries.ts';
import type { HookTask } from './tasks.ts';

interface Dependencies extends Pick<Stores, 'hooks'>, ReportContext {
  queue: TaskQueue<HookTask>;
  settings: Omit<DeliverySettings, 'now'> & {
    /** Address of the web console, if other hosts can open it. */
    console?: string | null;
  };
  log: Log;
}

/** When an attempt without a recorded end counts as broken off. Longer than an attempt may take. */
const leaseMs = ({ format }: Pick<StoredHook, 'format'>) => 3 * sendWithinMs(format);
/** After this many dropped messages, older ones are dropped without an attempt: the receiver is down, not one message bad. */
const DROPPED_IN_A_ROW = 3;
/** When to check again while another process sends. */
const AGAIN_MS = 5_000;

/** @returns executes a task, and returns when the next turn is due; null when there is none until something happens */
export function openTurns(dependencies: Dependencies) {
  const { hooks, devices, sites, queue, settings, now, log } = dependencies;
  const warn = rateLimitedWarnings(log, () => now().getTime());
  const within = (ms: number) => now().getTime() + ms;

  async function nextStep(of: Site, hook: StoredHook): Promise<Next & { notice: Notice | null }> {
    const { id: site, timeZone } = of;
    const at = now();
    const span = dueSpan(hook, timeZone, at);
    const rest = { events: [], until: null, isLast: false };
    if (span !== null) {
      const notice = await changesNotice(devices, site, hook, span);
      return { ...rest, notice, after: { digestedAt: span.until.getTime() } };
    }
    const report = dueReport(hook, timeZone, at);
    if (report !== null) {
      const notice = await reportNotice(dependencies, of, hook, report);
      return { ...rest, notice, after: { reportedAt: report.dueAt.getTime() } };
    }
    if (hook.held !== null && hook.held.until <= at.getTime())
      return { ...rest, notice: await heldNotice(devices, site, hook, hook.held), after: { held: null } };
    const { entries, hasMore } = await devices.finalChanges(site, hook.cursor, ENTRIES_AT_ONCE);
    const facts = await factsOf(devices, site, hook, entries);
    const found = nextOf(hook, stepsOf(hook, entries, facts, { now: at.getTime() }), { timeZone, now: at.getTime() });
    const notice = found.events.length === 0 ? null : noticeOf(found.events, hook.createdBy);
    return { ...found, notice, isLast: found.isLast && !hasMore };
  }

  async function takeTurn(site: SiteId, id: string): Promise<number | null> {
    const itsSite = await sites.find(site, { consistent: false });
    if (itsSite === null) return null; // Deleted: if it is restored, the hook continues from its cursor.
    const end = within(20_000); // Well below the limit of the function. The rest is left to the next turn.
    let isMine = false;
    for (let hook = await hooks.find(site, id); hook !== null && isActive(hook); ) {
      const { leasedUntil } = hook;
      const wasBrokenOff = leasedUntil !== null && !isMine;
      if (wasBrokenOff && leasedUntil > now().getTime()) return within(AGAIN_MS);
      if (hook.pausedUntil !== null && hook.pausedUntil > now().getTime()) return hook.pausedUntil;
      const next = await nextStep(itsSite, hook);
      const { notice, after } = next;
      if (notice === null || now().getTime() > end) {
        if (notice === null && after === null && leasedUntil === null) return next.until;
        const progress = { ...(notice === null ? after : {}), leasedUntil: null };
        const saved: StoredHook | null = await hooks.save(site, hook, progress);
        if (saved !== null && (notice !== null || after === null)) return notice === null ? next.until : within(0);
        [hook, isMine] = [saved ?? (await hooks.find(site, id)), false];
        continue;
      }
      if (!isMine && !wasBrokenOff) {
        const leased = await hooks.save(site, hook, { leasedUntil: within(leaseMs(hook)) });
        if (leased === null) return within(AGAIN_MS);
        hook = leased;
      }
      const { current, isDone } = await attempt(itsSite, hook, { ...next, notice }, wasBrokenOff);
      [hook, isMine] = [current, !isDone];
    }
    return null;
  }

  /** @returns the hook after it, and whether this turn no longer has a lease of it */
  async function attempt(
    { id: site, timeZone }: Site,
    hook: StoredHook,
    { notice, after, isLast }: Next & { notice: Notice },
    wasBrokenOff: boolean,
  ): Promise<{ current: StoredHook | null; isDone: boolean }> {
    const seconds = String(Math.floor(Date.parse(notice.recordedAt) / 1000)).padStart(10, '0');
    const id = `${seconds}_${notice.id.replace('.', '_')}`;
    const message: Message = { id, event: { ...notice, site, ...(notice.type === 'digest' ? { id } : {}) } };
    const outcome = wasBrokenOff ? 'broken off' : await outcomeOf(site, hook, message, timeZone);
    const threads =
      hook.format === 'email' && outcome !== 'broken off' && outcome !== 'too late' && outcome.isDelivered
        ? { threads: threadsAfter(hook.threads, message.event, `${hook.id}_${id}`) }
        : {};
    for (let seen = hook; ; ) {
      const progress = progressAfter(seen, message, outcome, now());
      const [{ state = 'dead', reason = null } = {}] = progress.deliveries;
      const isDone = isLast || progress.pausedUntil !== null;
      const leasedUntil = isDone ? null : within(leaseMs(hook));
      const saved = await hooks.save(site, seen, {
        ...progress,
        ...(state === 'pending' ? {} : { ...after, ...threads }),
        leasedUntil,
      });
      if (saved !== null) {
        const about = { site, hook: hook.id, reason };
        if (saved.problem !== null) log.warn(about, 'a hook is disabled: its receiver has responded 410 (Gone)');
        else if (state === 'dead') warn(hook.id, about, 'a delivery is dropped after failed attempts');
        return { current: saved, isDone };
      }
      // Meanwhile a test was recorded, or a person has changed the hook, which ends the lease.
      const current = await hooks.find(site, hook.id);
      if (current?.leasedUntil !== hook.leasedUntil) return { current, isDone: true };
      seen = current as StoredHook;
    }
  }

  async function outcomeOf(
    site: SiteId,
    hook: StoredHook,
    { id, event }: Message,
    timeZone: string,
  ): Promise<SendOutcome | 'too late'> {
    const since = Math.max(Date.parse(event.recordedAt), hook.failingSince ?? 0);
    const last = hook.deliveries.slice(0, DROPPED_IN_A_ROW);
    const isDown = last.length === DROPPED_IN_A_ROW && last.every(({ state }) => state === 'dead');
    if (hook.failingSince !== null && isDown && within(0) - since > DROP_AFTER_MS) return 'too late';
    const about = { webhookId: `${hook.id}_${id}`, event, console: settings.console ?? null };
    const mailed = { hook: hook.id, timeZone: hook.report?.at.timeZone ?? timeZone, threads: hook.threads };
    return deliver(hook, { ...about, ...mailed }, { ...settings, now }).catch(async (error: unknown) => {
      // The process is being stopped: the next one retries at once.
      await hooks.save(site, hook, progressAfter(hook, { id, event }, 'stopped', now())).catch(() => {});
      throw error;
    });
  }

  return async ({ site, hook }: HookTask): Promise<Date | null> => {
    try {
      if (hook !== undefined) {
        const next = await takeTurn(site, hook);
        return next === null ? null : new Date(next);
      }
      const active = (await hooks.list(site)).hooks.filter(isActive);
      await Promise.all(active.map(({ id }) => queue.send({ site, hook: id }, now())));
    } catch (error) {
      // The site is deleted.
      if (!(error instanceof ServiceError && error.code === 'site_forbidden')) throw error;
    }
    return null;
  };
}
