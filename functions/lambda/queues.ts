/** The queues of what is done later: SQS. Each calls a function of its own. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { BatchQueue } from '../commands/batches/queue.ts';
import type { Config } from '../config.ts';
import type { HookTask } from '../hooks/tasks.ts';
import type { TaskQueue } from '../task-queue.ts';

/** The longest delay that SQS takes. What comes before its time is sent again. */
export const MAX_DELAY_MS = 900_000;

export function batchQueueInLambda({ batchQueueUrl }: Pick<Config, 'batchQueueUrl'>, now: () => Date): BatchQueue {
  return sqsQueue(batchQueueUrl, ({ batch }) => batch, now);
}

/** A hook with much to do holds up no other. */
export function hookQueueInLambda(
  { hookQueueUrl }: Pick<Config, 'hookQueueUrl'>,
  now: () => Date,
): TaskQueue<HookTask> {
  return sqsQueue(hookQueueUrl, ({ site, hook }) => hook ?? site, now);
}

/** @param groupOf makes the queue a fair one: the messages of other groups are handed out before those of one with much to do */
function sqsQueue<Task>(url: string, groupOf: (task: Task) => string, now: () => Date): TaskQueue<Task> {
  const sqs = new SQSClient({ maxAttempts: 3 });
  return {
    async send(task, notBefore) {
      const delayMs = Math.max(0, Math.min(MAX_DELAY_MS, notBefore.getTime() - now().getTime()));
      const message = { MessageBody: JSON.stringify(task), MessageGroupId: groupOf(task) };
      await sqs.send(new SendMessageCommand({ QueueUrl: url, ...message, DelaySeconds: Math.ceil(delayMs / 1000) }));
    },
  };
}
