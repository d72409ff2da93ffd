/** Sends the messages of hooks, in Lambda: each task of its queue is a turn of a hook, or wakes the hooks of a site. */
import type { SQSHandler } from 'aws-lambda';
import { consoleUrl } from '../../shared/console-link.ts';
import { problemOf } from '../../shared/problem.ts';
import { readHooksConfig } from '../config.ts';
import { systemResolver } from '../hooks/send.ts';
import { HookTask } from '../hooks/tasks.ts';
import { openTurns } from '../hooks/turn.ts';
import { consoleLog } from '../http/log.ts';
import { devices, hooks, sites } from '../store-openers.ts';
import { storesInLambda } from './context.ts';
import { hookQueueInLambda, MAX_DELAY_MS } from './queues.ts';

const config = readHooksConfig();
const stores = storesInLambda(config, { devices, hooks, sites });
const queue = hookQueueInLambda(config, stores.now);
const console = config.apiUrl === null ? null : consoleUrl(config.apiUrl);
const settings = { allowPrivate: false, resolve: systemResolver, console };
const take = openTurns({ ...stores, queue, settings, log: consoleLog });

/** Carries tasks out at the same time. What fails is received again. */
export const handler: SQSHandler = async ({ Records }) => {
  const failed = Records.map(async ({ messageId, body }) => {
    try {
      const task = HookTask.parse(JSON.parse(body));
      const again = await take(task);
      // What has to wait longer is the upkeep's: every event in quiet hours would leave a message of its own.
      if (again !== null && again.getTime() - Date.now() <= MAX_DELAY_MS) await queue.send(task, again);
      return [];
    } catch (error) {
      consoleLog.warn({ problem: problemOf(error), err: error }, 'a task of a hook could not be carried out');
      return [{ itemIdentifier: messageId }];
    }
  });
  return { batchItemFailures: (await Promise.all(failed)).flat() };
};
