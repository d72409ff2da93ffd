/** Ingest in Lambda: reads the queue that the rules of IoT Core fill. */
import type { SQSHandler } from 'aws-lambda';
import type { AgentRegistry } from '../access/agent-registry.ts';
import { openAgentDispatcher } from '../commands/agent-dispatcher.ts';
import { signedBroker } from '../commands/signed-url.ts';
import { readConfig, readCredentials } from '../context/config.ts';
import { openIngest } from '../sightings/ingest.ts';
import { ingestQueued } from '../sightings/queue.ts';
import { consoleLog } from '../status/log.ts';
import { contextInLambda } from './lambda-context.ts';

const config = readConfig();
const broker = signedBroker(config.stage, { host: config.iotEndpoint, region: config.region }, readCredentials);
const context = contextInLambda(config, { agents: (stores) => openAgentDispatcher(broker, stores, consoleLog) });
/** Loaded when the first certificate is to be retired: most instances retire none. */
const registry: Pick<AgentRegistry, 'retire'> = {
  async retire(agent, certificateId) {
    const { openIotCoreRegistry } = await import('../access/iot-core-registry.ts');
    const { stage, agentPolicy, agentBroker, iotEndpoint } = config;
    const settings = { stage, policy: agentPolicy, broker: agentBroker, endpoint: iotEndpoint };
    await openIotCoreRegistry(settings, consoleLog).retire(agent, certificateId);
  },
};
const ingest = openIngest({ ...context, registry }, consoleLog);

export const handler: SQSHandler = async ({ Records }) => {
  const failed = await ingestQueued(config.stage, ingest, Records, consoleLog);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
};
