/** Ingest in Lambda: consumes the queue that the rules of IoT Core fill. */
import type { SQSHandler } from 'aws-lambda';
import { readConfig } from '../../config.ts';
import { consoleLog } from '../../http/log.ts';
import { openIngest } from '../../sightings/ingest.ts';
import { ingestQueued } from '../../sightings/queue.ts';
import type { AgentRegistry } from '../../sites/agents/agent-registry.ts';
import { certificates, jobs, months, ports, series, siteStates, sites } from '../../store-openers.ts';
import { agentsInLambda } from './agents.ts';
import { FOR_PLANS, storesInLambda } from './context.ts';
import { releasesInLambda } from './releases.ts';

const config = readConfig();
const stores = storesInLambda(config, { certificates, jobs, months, ports, series, siteStates, sites, ...FOR_PLANS });
/** Loaded on demand: most instances retire no certificate. */
const registry: Pick<AgentRegistry, 'retire'> = {
  async retire(agent, certificateId) {
    const { openIotCoreRegistry } = await import('../../sites/agents/iot-core-registry.ts');
    await openIotCoreRegistry(config, consoleLog).retire(agent, certificateId);
  },
};
const ingest = openIngest(
  { ...stores, ...releasesInLambda(config, consoleLog), agents: agentsInLambda(config, stores), registry },
  consoleLog,
);

export const handler: SQSHandler = async ({ Records }) => {
  const failed = await ingestQueued(config.stage, ingest, Records, consoleLog);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
};
