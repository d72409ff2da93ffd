/** The task queue in SQS, which invokes the worker. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { RunTask } from '../../commands/runs/task.ts';
import type { Config } from '../../config.ts';
import { HookTask } from '../../hooks/tasks.ts';
import type { TaskQueue } from '../../task-queue.ts';

/** The longest delay of SQS. A task that arrives before its time is enqueued again. */
export const MAX_DELAY_MS = 900_000;

export const Task = z.union([RunTask, HookTask]);
type Task = z.infer<typeof Task>;

/** A hook or run with a long backlog holds up no other: SQS is fair between message groups. */
export function taskQueueInLambda({ taskQueueUrl }: Pick<Config, 'taskQueueUrl'>, now: () => Date): TaskQueue<Task> {
  const sqs = new SQSClient({ maxAttempts: 3 });
  return {
    async send(task, notBefore) {
      const delayMs = Math.max(0, Math.min(MAX_DELAY_MS, notBefore.getTime() - now().getTime()));
      const MessageGroupId = 'run' in task ? task.run : (task.hook ?? task.site);
      const message = { MessageBody: JSON.stringify(task), MessageGroupId };
      const DelaySeconds = Math.ceil(delayMs / 1000);
      await sqs.send(new SendMessageCommand({ QueueUrl: taskQueueUrl, ...message, DelaySeconds }));
    },
  };
}
