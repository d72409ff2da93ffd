/** Called once a day: carries removals of sites to their end that nobody has asked to the end. */
import type { Context as LambdaContext } from 'aws-lambda';
import { finishRemovals } from '../access/finish-removals.ts';
import { openIotCoreRegistry } from '../access/iot-core-registry.ts';
import { readConfig } from '../context/config.ts';
import { consoleLog } from '../status/log.ts';
import { contextInLambda } from './lambda-context.ts';

/** For the transaction, or the agent, that has begun when it is time to stop. */
const REST_MS = 60_000;

const config = readConfig();
const registry = openIotCoreRegistry(
  {
    stage: config.stage,
    policy: config.agentPolicy,
    broker: config.agentBroker,
    endpoint: config.iotEndpoint,
  },
  consoleLog,
);
const context = contextInLambda(config, { registry });

export function handler(_event: unknown, { getRemainingTimeInMillis }: LambdaContext): Promise<void> {
  return finishRemovals(context, consoleLog, () => getRemainingTimeInMillis() < REST_MS);
}
