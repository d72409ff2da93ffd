/**
 * Tells the receivers of hooks, on one machine: a queue in memory for what is to be done, and workers. What the queue
 * forgets when the process ends is found again in the database at the next start.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { Context } from '../functions/context/context.ts';
import { openOutbox } from '../functions/hooks/outbox.ts';
import { groupOf, type HookQueue, type Task } from '../functions/hooks/queue.ts';
import { systemResolver } from '../functions/hooks/send.ts';
import { backOffMs, deadline } from '../shared/async.ts';

/** Tasks that are carried out at the same time; of one hook, so that a receiver that hangs does not delay others. */
const CONCURRENCY = 8;
const OF_ONE_HOOK = 2;
/** Tasks of one hook that are kept. Those beyond it are in the database, and are found when there is room again. */
const MAX_OF_ONE_HOOK = 1_000;
/** How often it looks for what others have left undone. */
const SWEEP_EVERY_MS = 60_000;
/** How long it waits for calls of the database that have begun. */
const CLOSE_WITHIN_MS = 3_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;

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

type Dependencies = Pick<Context, 'hooks' | 'deliveries' | 'devices' | 'sites' | 'now'>;

export function createHookRunner(
  context: Dependencies,
  { allowPrivate }: { allowPrivate: boolean },
  log: Logger,
): HookRunner {
  /**
   * By group, those that were served last at the end; within a group by their text, so that a task that is there already
   * is not added again.
   */
  const waiting = new Map<string, Map<string, Waiting>>();
  const running = new Map<string, { group: string; done: Promise<void> }>();
  let isOpen = false;
  /** Hooks of which tasks were not kept. */
  const dropped = new Set<string>();
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
  const settings = { allowPrivate, resolve: systemResolver, signal: closing.signal };
  const outbox = openOutbox({ ...context, queue, settings, log });

  function put(wanted: Waiting): void {
    const group = groupOf(wanted.task);
    const tasks = waiting.get(group) ?? new Map<string, Waiting>();
    const name = nameOf(wanted.task);
    const known = tasks.get(name);
    const [oldest] = tasks.keys();
    // The new one is kept, because somebody may wait for it: it may be a test.
    if (known === undefined && oldest !== undefined && tasks.size >= MAX_OF_ONE_HOOK) {
      tasks.delete(oldest);
      dropped.add(group);
    }
    tasks.set(name, known === undefined || wanted.at < known.at ? wanted : known);
    waiting.set(group, tasks);
    if (scheduled !== undefined) return;
    scheduled = outside(() => setImmediate(schedule));
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
      if (running.size >= CONCURRENCY) return;
      const ofGroup = [...running.values()].filter((one) => one.group === group).length;
      if (ofGroup >= OF_ONE_HOOK) continue;
      for (const [name, { task, at, failures }] of tasks) {
        // One look at a site at a time: another one would do the same.
        if (running.has(name)) continue;
        if (at > now) {
          next = Math.min(next, at);
          continue;
        }
        tasks.delete(name);
        waiting.delete(group);
        if (tasks.size > 0) waiting.set(group, tasks);
        const done = carryOut(task, failures).finally(() => {
          running.delete(name);
          schedule();
        });
        running.set(name, { group, done });
        break;
      }
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(schedule, Math.min(next - now, SWEEP_EVERY_MS));
  }

  async function carryOut(task: Task, failures: number): Promise<void> {
    try {
      await outbox.perform(task);
    } catch (error) {
      if (closing.signal.aborted) return;
      log.warn({ ...task, err: error }, 'a task of a hook could not be carried out; it is tried again');
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
      for await (const { due, ...delivery } of context.deliveries.pending(site)) {
        if (!isOpen) return;
        put({ task: { t: 'deliver', site, ...delivery }, at: due.getTime(), failures: 0 });
      }
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
          const hasRoom = (group: string) => (waiting.get(group)?.size ?? 0) < MAX_OF_ONE_HOOK / 2;
          const needsAll = again || [...dropped].some(hasRoom);
          if (needsAll) dropped.clear();
          sweepAndGoOn(needsAll);
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
      await deadline(sweeping, CLOSE_WITHIN_MS, () => {});
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
