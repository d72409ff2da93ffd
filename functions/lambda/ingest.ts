/** Ingest in Lambda: reads the queue that the rules of IoT Core fill. */
import type { SQSHandler } from 'aws-lambda';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { readConfig } from '../config.ts';
import { openIngest } from '../sightings/ingest.ts';
import { ingestQueued } from '../sightings/queue.ts';
import { agentsInLambda } from './agents.ts';
import { contextInLambda } from './context.ts';

const config = readConfig();
const context = contextInLambda(config);
/** Loaded when the first certificate is to be retired: most instances retire none. */
const registry: Pick<AgentRegistry, 'retire'> = {
  async retire(agent, certificateId) {
    const { openIotCoreRegistry } = await import('../agents/iot-core-registry.ts');
    await openIotCoreRegistry(config, context.log).retire(agent, certificateId);
  },
};
const ingest = openIngest({ ...context, agents: agentsInLambda(config, context), registry }, context.log);

export const handler: SQSHandler = async ({ Records }) => {
  const failed = await ingestQueued(config.stage, ingest, Records, context.log);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
};
