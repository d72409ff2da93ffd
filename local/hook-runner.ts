/**
 * Tells the receivers of hooks, on one machine: a queue in memory for what is to be done, and workers. What the queue
 * forgets when the process ends is found again in the database at the next start.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { Context } from '../functions/context.ts';
import { openOutbox } from '../functions/hooks/outbox.ts';
import { groupOf, type HookQueue, isUrgent, type Task } from '../functions/hooks/queue.ts';
import { systemResolver } from '../functions/hooks/send.ts';
import type { AllowPrivate } from '../functions/hooks/target-address.ts';
import { rateLimitedWarnings } from '../functions/http/rate-limited-log.ts';
import { backOffMs, deadline } from '../shared/async.ts';
import type { SiteId } from '../shared/identity.ts';

/** Tasks that are carried out at the same time; of one hook, so that a receiver that hangs does not delay others. */
const CONCURRENCY = 8;
const OF_ONE_HOOK = 2;
/** Tasks of one hook that are kept. Those beyond it are in the database, and are read when half of these are done. */
const MAX_OF_ONE_HOOK = 1_000;
/** How often it looks for what others have left undone. */
const SWEEP_EVERY_MS = 60_000;
/** How long it waits for calls of the database that have begun. */
const CLOSE_WITHIN_MS = 3_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;
/** As many failures as lead to the longest pause. */
const LONG_PAUSE = 6;

export interface HookRunner {
  /** Takes a task of a row that was added. */
  add(task: Task): void;
  /** Begins, with what earlier processes have left undone. */
  start(): void;
  /** Breaks off the attempts that have begun; they are made again after the next start. */
  close(): Promise<void>;
}

interface Waiting {
  task: Task;
  at: number;
  failures: number;
}

/** The tasks of a hook, or the look at a site, by their text: a task that is there already is not added again. */
interface Group {
  /** They go first. */
  urgent: Map<string, Waiting>;
  others: Map<string, Waiting>;
}

/** What of a hook was not kept: its deliveries from this id on. */
interface Left {
  site: SiteId;
  hook: string;
  from: string;
}

type Dependencies = Pick<Context, 'hooks' | 'deliveries' | 'devices' | 'sites' | 'now'>;

export function createHookRunner(
  context: Dependencies,
  { allowPrivate, console = null }: { allowPrivate: AllowPrivate; console?: string | null },
  log: Logger,
): HookRunner {
  /** By group, those that were served last at the end. */
  const waiting = new Map<string, Group>();
  const running = new Map<string, { group: string; done: Promise<void> }>();
  let isOpen = false;
  /** Of groups of which tasks were not kept. */
  const left = new Map<string, Left>();
  /** One hook is read at a time. */
  let refilling: Promise<void> | null = null;
  let readAgainAt = 0;
  const warn = rateLimitedWarnings(log, () => context.now().getTime());
  let timer: NodeJS.Timeout | undefined;
  /** Many tasks that come together are looked at once. */
  let scheduled: NodeJS.Immediate | undefined;
  let sweeping = Promise.resolve();
  let sweeper: NodeJS.Timeout | undefined;

  /** Runs something outside of the request that has added a task, which is charged for what it consumes itself. */
  const outside = AsyncLocalStorage.snapshot();

  const queue: HookQueue = {
    async send(tasks) {
      for (const { task, notBefore } of tasks) put({ task, at: notBefore.getTime(), failures: 0 });
    },
  };
  const closing = new AbortController();
  const settings = { allowPrivate, console, resolve: systemResolver, signal: closing.signal };
  const outbox = openOutbox({ ...context, queue, settings, log });

  /** @returns false when there was no room for it, which `left` knows then */
  function put(wanted: Waiting): boolean {
    const group = groupOf(wanted.task);
    const tasks = waiting.get(group) ?? { urgent: new Map(), others: new Map() };
    waiting.set(group, tasks);
    const { urgent, others } = tasks;
    const some = isUrgent(wanted.task) ? urgent : others;
    const name = nameOf(wanted.task);
    const known = some.get(name);
    if (known === undefined && sizeOf(tasks) >= MAX_OF_ONE_HOOK) {
      // The newest of those that nobody waits for makes room for one that somebody waits for.
      const [newest, dropped] = (some === urgent ? [...others].at(-1) : undefined) ?? [];
      if (newest === undefined || dropped === undefined) {
        leave(wanted.task);
        return false;
      }
      others.delete(newest);
      leave(dropped.task);
    }
    some.set(name, known === undefined || wanted.at < known.at ? wanted : known);
    scheduled ??= outside(() => setImmediate(schedule));
    return true;
  }

  function leave(task: Task): void {
    if (task.t !== 'deliver') return;
    const { site, hook, id } = task;
    const from = left.get(groupOf(task))?.from;
    left.set(groupOf(task), { site, hook, from: from === undefined || id < from ? id : from });
  }

  /** Reads from the database what was not kept of a hook that has room again. */
  function refill(): void {
    if (!isOpen || refilling !== null || context.now().getTime() < readAgainAt) return;
    const group = [...left.keys()].find((one) => sizeOf(waiting.get(one)) < MAX_OF_ONE_HOOK / 2);
    if (group === undefined) return;
    const { site, hook, from } = left.get(group) as Left;
    left.delete(group);
    refilling = readPending(site, { hook, from })
      .then(
        () => true,
        (error: unknown) => {
          warn(site, { site, hook, err: error }, 'deliveries of a hook could not be read; it is tried again');
          leave({ t: 'deliver', site, hook, id: from });
          readAgainAt = context.now().getTime() + backOffMs(LONG_PAUSE, RETRY);
          return false;
        },
      )
      .then((isRead) => {
        refilling = null;
        if (isRead) refill();
      });
  }

  /** Takes the deliveries that have not ended, of a hook until there is no room for more. */
  async function readPending(site: SiteId, of?: { hook: string; from: string }): Promise<void> {
    for await (const { due, ...delivery } of context.deliveries.pending(site, of)) {
      if (!isOpen) return;
      const task: Task = { t: 'deliver', site, ...delivery };
      // One that is being attempted puts itself into the queue again if it has to.
      if (running.has(nameOf(task))) continue;
      if (!put({ task, at: due.getTime(), failures: 0 }) && of !== undefined) return;
    }
  }

  /** Begins what is due and has room, and sets a timer for what comes next. */
  function schedule(): void {
    clearTimeout(timer);
    clearImmediate(scheduled);
    scheduled = undefined;
    if (!isOpen) return;
    const now = context.now().getTime();
    let next = Number.POSITIVE_INFINITY;
    // A group of which a task has begun comes to the end, and so it is looked at again, after the others.
    for (const [group, tasks] of waiting) {
      if (running.size >= CONCURRENCY) break;
      const ofGroup = [...running.values()].filter((one) => one.group === group).length;
      if (ofGroup >= OF_ONE_HOOK) continue;
      for (const [name, { task, at, failures }] of inTurn(tasks)) {
        // One look at a site at a time: another one would do the same.
        if (running.has(name)) continue;
        if (at > now) {
          next = Math.min(next, at);
          continue;
        }
        tasks.urgent.delete(name);
        tasks.others.delete(name);
        waiting.delete(group);
        if (sizeOf(tasks) > 0) waiting.set(group, tasks);
        const done = carryOut(task, failures).finally(() => {
          running.delete(name);
          schedule();
        });
        running.set(name, { group, done });
        break;
      }
    }
    refill();
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(schedule, Math.min(next - now, SWEEP_EVERY_MS));
  }

  async function carryOut(task: Task, failures: number): Promise<void> {
    try {
      await outbox.perform(task);
    } catch (error) {
      if (closing.signal.aborted) return;
      warn(task.site, { ...task, err: error }, 'a task of a hook could not be carried out; it is tried again');
      put({ task, at: context.now().getTime() + backOffMs(failures, RETRY), failures: failures + 1 });
    }
  }

  /** @param withDeliveries whether to read all deliveries, for those that are pending */
  async function sweep(withDeliveries: boolean): Promise<void> {
    for (const { id: site } of await context.sites.list()) {
      if (!isOpen) return;
      if ((await context.hooks.list(site)).hooks.length === 0) continue;
      put({ task: { t: 'look', site, tries: 0 }, at: context.now().getTime(), failures: 0 });
      if (!withDeliveries) continue;
      await readPending(site);
    }
  }

  function sweepAndGoOn(withDeliveries: boolean): void {
    sweeping = sweep(withDeliveries)
      .then(
        () => false,
        (error: unknown) => {
          log.warn({ err: error }, 'what hooks have to tell could not be looked for; it is tried again');
          return withDeliveries;
        },
      )
      .then((again) => {
        if (!isOpen) return;
        sweeper = setTimeout(() => {
          refill();
          sweepAndGoOn(again);
        }, SWEEP_EVERY_MS);
        sweeper.unref();
      });
  }

  return {
    add(task) {
      put({ task, at: context.now().getTime(), failures: 0 });
    },

    start() {
      isOpen = true;
      sweepAndGoOn(true);
      schedule();
    },

    async close() {
      isOpen = false;
      clearTimeout(timer);
      clearTimeout(sweeper);
      clearImmediate(scheduled);
      await deadline(Promise.all([sweeping, refilling]), CLOSE_WITHIN_MS, () => {});
      clearTimeout(sweeper);
      closing.abort();
      const attempts = Promise.all([...running.values()].map(({ done }) => done));
      await deadline(attempts, CLOSE_WITHIN_MS, () => {});
    },
  };
}

/** Two looks at a site are the same, however often it was too early. */
function nameOf(task: Task): string {
  return task.t === 'look' ? `look ${task.site}` : `deliver ${task.site} ${task.hook} ${task.id}`;
}

const sizeOf = (group: Group | undefined) => (group === undefined ? 0 : group.urgent.size + group.others.size);

function* inTurn({ urgent, others }: Group): Generator<[string, Waiting]> {
  yield* urgent;
  yield* others;
}
