/** Ingest in Lambda: reads the queue that the rules of IoT Core fill. */
import type { SQSHandler } from 'aws-lambda';
import { readConfig } from '../context/config.ts';
import { openIngest } from '../sightings/ingest.ts';
import { ingestQueued } from '../sightings/queue.ts';
import { agentsInLambda } from './agents.ts';
import { contextInLambda } from './context.ts';

const config = readConfig();
const context = contextInLambda(config);
const ingest = openIngest({ ...context, agents: agentsInLambda(config, context) }, context.log);

export const handler: SQSHandler = async ({ Records }) => {
  const failed = await ingestQueued(config.stage, ingest, Records, context.log);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
};
