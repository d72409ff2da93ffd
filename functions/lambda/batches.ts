/** Takes the turns of batches, which wait in a queue of SQS: each of its messages is one. */
import type { SQSHandler } from 'aws-lambda';
import { BatchTask } from '../commands/batches/queue.ts';
import { takeTurn } from '../commands/batches/turn.ts';
import { readConfig } from '../config.ts';
import { consoleLog } from '../http/log.ts';
import { batches, jobs, sites, tokens } from '../store-openers.ts';
import { agentsInLambda } from './agents.ts';
import { storesInLambda } from './context.ts';
import { batchQueueInLambda } from './queues.ts';

/** Other batches have theirs after that. */
const TURN_MS = 10_000;

const config = readConfig();
const context = { ...storesInLambda(config, { batches, jobs, sites, tokens }), log: consoleLog };
const queue = batchQueueInLambda(config, context.now);
const agents = agentsInLambda(config, context);

/** What fails is received again, when SQS shows the message again. */
export const handler: SQSHandler = async ({ Records }) => {
  for (const { body } of Records) {
    const task = BatchTask.parse(JSON.parse(body));
    const nextMs = await takeTurn({ ...context, agents }, task.batch, { lastsMs: TURN_MS });
    if (nextMs !== null) await queue.send(task, new Date(Date.now() + nextMs));
  }
};
