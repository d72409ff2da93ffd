/** The queue of the hooks function in the cloud: SQS. */

import { groupOf, type HookQueue, isUrgent } from '../hooks/queue.ts';
import { openSqsSender } from './sqs-sender.ts';

export function openSqsQueue(url: string, now: () => Date): HookQueue {
  const send = openSqsSender(url, now);
  return {
    send: (tasks) =>
      send(
        tasks.map(({ task, notBefore }) => ({
          body: task,
          // What somebody waits for is in a group of its own, so that it is not behind the rest of its hook.
          group: `${groupOf(task)}${isUrgent(task) ? ':urgent' : ''}`,
          notBefore,
        })),
      ),
  };
}
