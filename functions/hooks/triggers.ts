/** What starts the hooks function: rows that were added to the table, and the tasks in its queue. */
import type { DynamoDBRecord, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { HookStore } from '../dynamodb/hook-store.ts';
import type { Log } from '../log/log.ts';
import { problemOf } from '../log/problem.ts';
import type { Outbox } from './outbox.ts';
import { type HookQueue, readTask, type Task, taskFor } from './queue.ts';

/**
 * Makes tasks of the rows that were added: one for each site with hooks, and one for each delivery. Throws when the
 * database or the queue fails; then Lambda calls it again with the same records.
 */
export async function takeStream(
  { Records }: { Records: readonly Pick<DynamoDBRecord, 'dynamodb'>[] },
  { hooks, queue, now }: { hooks: Pick<HookStore, 'list'>; queue: HookQueue; now(): Date },
): Promise<void> {
  const tasks = new Map<string, Task>();
  for (const { dynamodb } of Records) {
    const { pk, sk } = dynamodb?.Keys ?? {};
    const task = taskFor({ pk: pk?.S ?? '', sk: sk?.S ?? '' });
    if (task !== null) tasks.set(JSON.stringify(task), task);
  }
  const wanted: Task[] = [];
  for (const task of tasks.values()) {
    if (task.t === 'deliver' || (await hooks.list(task.site)).hooks.length > 0) wanted.push(task);
  }
  await queue.send(wanted.map((task) => ({ task, notBefore: now() })));
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
