/** The queue of the hooks function in the cloud: SQS. */
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { groupOf, type HookQueue, isUrgent } from './queue.ts';

/** The longest delay that SQS takes. A task that comes before its time is sent again. */
const MAX_DELAY_S = 900;
/** Messages of one call. */
const BATCH = 10;

export function openSqsQueue(url: string, now: () => Date): HookQueue {
  const sqs = new SQSClient({ maxAttempts: 3 });
  return {
    async send(tasks) {
      const entries = tasks.map(({ task, notBefore }, i) => ({
        Id: String(i),
        MessageBody: JSON.stringify(task),
        // Makes the queue a fair one: when a group has much to do, the messages of others are handed out before its own.
        // What somebody waits for is in a group of its own, so that it is not behind the rest of its hook.
        MessageGroupId: `${groupOf(task)}${isUrgent(task) ? ':urgent' : ''}`,
        DelaySeconds: Math.max(0, Math.min(MAX_DELAY_S, Math.ceil((notBefore.getTime() - now().getTime()) / 1000))),
      }));
      for (let at = 0; at < entries.length; at += BATCH) {
        const command = new SendMessageBatchCommand({ QueueUrl: url, Entries: entries.slice(at, at + BATCH) });
        const { Failed = [] } = await sqs.send(command);
        if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} messages: ${Failed[0]?.Code}`);
      }
    },
  };
}
