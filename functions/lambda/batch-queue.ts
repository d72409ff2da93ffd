/** The queue of the function that works at batches: SQS. */
import type { BatchQueue } from '../commands/batches/queue.ts';
import type { Config } from '../config.ts';
import { openSqsSender } from './sqs-sender.ts';

export function batchQueueInLambda({ batchQueueUrl }: Pick<Config, 'batchQueueUrl'>, now: () => Date): BatchQueue {
  const send = openSqsSender(batchQueueUrl, now);
  return {
    send: (task, afterMs) => send([{ body: task, group: task.batch, notBefore: new Date(now().getTime() + afterMs) }]),
  };
}
