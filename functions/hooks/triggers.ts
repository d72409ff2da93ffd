/** What starts the hooks function: rows that were added to the table, and the tasks in its queue. */
import type { DynamoDBRecord, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { SiteId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { problemOf } from '../../shared/problem.ts';
import { PARTITIONS } from '../table/rows.ts';
import type { HookStore } from './hook-store.ts';
import type { Outbox } from './outbox.ts';
import { type HookQueue, readTask, type Task, taskFor } from './queue.ts';

/** How long it is remembered that a site has no hooks. */
export const NO_HOOKS_FOR_MS = 60_000;
/** Sites of which that is remembered. */
const MAX_SITES = 100_000;
/** Sites whose hooks are asked for at the same time. */
const ASKED_AT_ONCE = 16;

type Records = readonly Pick<DynamoDBRecord, 'dynamodb'>[];

/**
 * Makes tasks of the rows that were added: one for each site with hooks, and one for each delivery. They throw when the
 * database or the queue fails; then Lambda calls with the same records again.
 */
export function openStream({
  hooks,
  queue,
  now,
}: {
  hooks: Pick<HookStore, 'list'>;
  queue: HookQueue;
  now(): Date;
}): (event: { Records: Records }) => Promise<void> {
  /** Until when it is known that a site has no hooks, those that were asked for first at the beginning. */
  const withoutHooks = new Map<SiteId, number>();

  async function hasHooks(site: SiteId): Promise<boolean> {
    if ((withoutHooks.get(site) ?? 0) > now().getTime()) return false;
    withoutHooks.delete(site);
    if ((await hooks.list(site)).hooks.length > 0) return true;
    withoutHooks.set(site, now().getTime() + NO_HOOKS_FOR_MS);
    const [oldest] = withoutHooks.keys();
    if (withoutHooks.size > MAX_SITES && oldest !== undefined) withoutHooks.delete(oldest);
    return false;
  }

  return async ({ Records }) => {
    const wanted: { task: Task; notBefore: Date }[] = [];
    const looks = new Map<SiteId, Task>();
    const added = new Set<SiteId>();
    const deliveries = new Map<string, Task>();
    for (const { dynamodb } of Records) {
      const key = { pk: dynamodb?.Keys?.pk?.S ?? '', sk: dynamodb?.Keys?.sk?.S ?? '' };
      const task = taskFor(key);
      if (task?.t === 'look') looks.set(task.site, task);
      if (task?.t === 'deliver') deliveries.set(JSON.stringify(task), task);
      if (key.pk.startsWith(PARTITIONS.hooks)) added.add(key.pk.slice(PARTITIONS.hooks.length));
    }
    for (const task of deliveries.values()) wanted.push({ task, notBefore: now() });
    for (const site of added) {
      withoutHooks.delete(site);
      // Another instance may have passed over what has happened since, because it remembers that there was no hook.
      const notBefore = new Date(now().getTime() + NO_HOOKS_FOR_MS);
      wanted.push({ task: { t: 'look', site, tries: 0 }, notBefore });
    }
    const sites = [...looks.keys()];
    for (let at = 0; at < sites.length; at += ASKED_AT_ONCE) {
      const some = sites.slice(at, at + ASKED_AT_ONCE);
      const found = await Promise.all(some.map(hasHooks));
      for (const [i, site] of some.entries()) {
        const task = looks.get(site);
        if (found[i] && task !== undefined) wanted.push({ task, notBefore: now() });
      }
    }
    if (wanted.length > 0) await queue.send(wanted);
  };
}

/** Carries out tasks at the same time. @returns those that have to be carried out again */
export async function takeQueued({ Records }: SQSEvent, outbox: Outbox, log: Log): Promise<SQSBatchResponse> {
  const outcomes = await Promise.all(
    Records.map(async ({ messageId, body }) => {
      let task: Task;
      try {
        task = readTask(body);
      } catch (error) {
        log.warn({ problem: problemOf(error) }, 'dropped a message with an unexpected form');
        return [];
      }
      try {
        await outbox.perform(task);
        return [];
      } catch (error) {
        log.warn({ ...task, err: error }, 'a task of a hook could not be carried out');
        return [{ itemIdentifier: messageId }];
      }
    }),
  );
  return { batchItemFailures: outcomes.flat() };
}
