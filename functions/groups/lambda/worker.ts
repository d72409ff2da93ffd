/**
 * The worker in Lambda: each message of its queue is a task of a hook or a run, or wakes the hooks of a site; and a schedule
 * invokes it once an hour, for the maintenance.
 */
import type { Context as LambdaContext, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consoleUrl } from '../../../shared/console-link.ts';
import { problemOf } from '../../../shared/problem.ts';
import { MINUTE_MS } from '../../../shared/time.ts';
import { takeTurn } from '../../commands/runs/turn.ts';
import { readConfig } from '../../config.ts';
import { systemResolver } from '../../hooks/send.ts';
import { openTurns } from '../../hooks/turn.ts';
import { consoleLog } from '../../http/log.ts';
import { openIotCoreRegistry } from '../../sites/agents/iot-core-registry.ts';
import { audit, months, runs, series, siteStates, sites, tokens, upkeepCursor } from '../../store-openers.ts';
import { upkeep } from '../upkeep.ts';
import { agentsInLambda } from './agents.ts';
import { FOR_PLANS, FOR_SITES, storesInLambda } from './context.ts';
import { mailInLambda } from './mail.ts';
import { MAX_DELAY_MS, Task, taskQueueInLambda } from './queue.ts';
import { releasesInLambda } from './releases.ts';

const config = readConfig();
const ofUpkeep = { audit, months, series, siteStates, sites, tokens, upkeepCursor, ...FOR_PLANS, ...FOR_SITES };
const stores = storesInLambda(config, { runs, ...ofUpkeep });
const queue = taskQueueInLambda(config, stores.now);
const context = {
  ...stores,
  ...releasesInLambda(config, consoleLog),
  registry: openIotCoreRegistry(config, consoleLog),
  agents: agentsInLambda(config, stores),
  hookQueue: queue,
  log: consoleLog,
};
const console = config.apiUrl === null ? null : consoleUrl(config.apiUrl);
const settings = { allowPrivate: false, resolve: systemResolver, console, ...mailInLambda(config) };
const takeTurnOfHook = openTurns({ ...stores, queue, settings, log: consoleLog });

export async function handler(
  event: SQSEvent | object,
  { getRemainingTimeInMillis }: LambdaContext,
): Promise<SQSBatchResponse | null> {
  if ('Records' in event) return runTasks(event.Records);
  // The last minute is for the transaction, the agent or the site that has begun.
  await upkeep(context, consoleLog, () => getRemainingTimeInMillis() < MINUTE_MS);
  return null;
}

/** Runs tasks concurrently. SQS delivers the failed ones again. */
async function runTasks(records: SQSEvent['Records']): Promise<SQSBatchResponse> {
  const failed = records.map(async ({ messageId, body }) => {
    try {
      const task = Task.parse(JSON.parse(body));
      // A run yields to others after 10 s.
      const again = 'run' in task ? await takeTurn(context, task, { lastsMs: 10_000 }) : await takeTurnOfHook(task);
      // Longer delays are left to the upkeep: every event in quiet hours would leave a message of its own.
      if (again !== null && again.getTime() - stores.now().getTime() <= MAX_DELAY_MS) await queue.send(task, again);
      return [];
    } catch (error) {
      consoleLog.warn({ problem: problemOf(error), err: error }, 'a task failed; SQS delivers it again');
      return [{ itemIdentifier: messageId }];
    }
  });
  return { batchItemFailures: (await Promise.all(failed)).flat() };
}
