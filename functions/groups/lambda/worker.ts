/**
 * Does in Lambda what is done later: each message of its queue is a turn of a hook or a run, or wakes the hooks of a site;
 * and a clock calls it once an hour, for the maintenance.
 */
import type { Context as LambdaContext, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consoleUrl } from '../../../shared/console-link.ts';
import { problemOf } from '../../../shared/problem.ts';
import { takeTurn } from '../../commands/runs/turn.ts';
import { readConfig } from '../../config.ts';
import { systemResolver } from '../../hooks/send.ts';
import { openTurns } from '../../hooks/turn.ts';
import { consoleLog } from '../../http/log.ts';
import { openIotCoreRegistry } from '../../sites/agents/iot-core-registry.ts';
import { audit, runs, series, siteStates, sites, tokens, upkeepTurn } from '../../store-openers.ts';
import { upkeep } from '../upkeep.ts';
import { agentsInLambda } from './agents.ts';
import { FOR_PLANS, FOR_SITES, storesInLambda } from './context.ts';
import { MAX_DELAY_MS, Task, taskQueueInLambda } from './queue.ts';
import { releasesInLambda } from './releases.ts';

/** Of a run. Others have theirs after that. */
const TURN_MS = 10_000;
/** For the transaction, the agent or the site that has begun when it is time for the upkeep to stop. */
const REST_MS = 60_000;

const config = readConfig();
const ofUpkeep = { audit, series, siteStates, sites, tokens, upkeepTurn, ...FOR_PLANS, ...FOR_SITES };
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
const settings = { allowPrivate: false, resolve: systemResolver, console };
const takeTurnOfHook = openTurns({ ...stores, queue, settings, log: consoleLog });

export async function handler(
  event: SQSEvent | object,
  { getRemainingTimeInMillis }: LambdaContext,
): Promise<SQSBatchResponse | null> {
  if ('Records' in event) return carryOut(event.Records);
  await upkeep(context, consoleLog, () => getRemainingTimeInMillis() < REST_MS);
  return null;
}

/** Carries tasks out at the same time. What fails is received again, when SQS shows the message again. */
async function carryOut(records: SQSEvent['Records']): Promise<SQSBatchResponse> {
  const failed = records.map(async ({ messageId, body }) => {
    try {
      const task = Task.parse(JSON.parse(body));
      const again = 'run' in task ? await takeTurn(context, task, { lastsMs: TURN_MS }) : await takeTurnOfHook(task);
      // What has to wait longer is the upkeep's: every event in quiet hours would leave a message of its own.
      if (again !== null && again.getTime() - stores.now().getTime() <= MAX_DELAY_MS) await queue.send(task, again);
      return [];
    } catch (error) {
      consoleLog.warn({ problem: problemOf(error), err: error }, 'a task could not be carried out');
      return [{ itemIdentifier: messageId }];
    }
  });
  return { batchItemFailures: (await Promise.all(failed)).flat() };
}
