/** The queue of the hooks function in the cloud: SQS. */
import { openSqsSender } from '../lambda/sqs-sender.ts';
import { groupOf, type HookQueue, isUrgent } from './queue.ts';

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
