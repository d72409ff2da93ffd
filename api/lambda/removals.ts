/** Called once a day: carries removals of sites to their end that no caller has asked to the end. */
import type { Context as LambdaContext } from 'aws-lambda';
import { finishRemovals } from '../access/finish-removals.ts';
import { openIotCoreRegistry } from '../access/iot-core-registry.ts';
import { readConfig } from '../context/config.ts';
import { consoleLog } from '../status/log.ts';
import { storesInLambda } from './context.ts';

/** For the transaction, or the agent, that has begun when it is time to stop. */
const REST_MS = 60_000;

const config = readConfig();
const context = { ...storesInLambda(config), registry: openIotCoreRegistry(config, consoleLog) };

export function handler(_event: unknown, { getRemainingTimeInMillis }: LambdaContext): Promise<void> {
  return finishRemovals(context, consoleLog, () => getRemainingTimeInMillis() < REST_MS);
}
