/** Called once an hour, for what nobody asks for. */
import type { Context as LambdaContext } from 'aws-lambda';
import { openIotCoreRegistry } from '../agents/iot-core-registry.ts';
import { readConfig } from '../config.ts';
import { upkeep } from '../groups/upkeep.ts';
import { consoleLog } from '../http/log.ts';
import { audit, series, siteStates, sites, tokens, upkeepTurn } from '../store-openers.ts';
import { FOR_PLANS, FOR_SITES, storesInLambda } from './context.ts';
import { hookQueueInLambda } from './queues.ts';
import { releasesInLambda } from './releases.ts';

/** For the transaction, the agent or the site that has begun when it is time to stop. */
const REST_MS = 60_000;

const config = readConfig();
const context = {
  ...storesInLambda(config, { audit, series, siteStates, sites, tokens, upkeepTurn, ...FOR_PLANS, ...FOR_SITES }),
  ...releasesInLambda(config, consoleLog),
  registry: openIotCoreRegistry(config, consoleLog),
  hookQueue: hookQueueInLambda(config, () => new Date()),
};

export function handler(_event: unknown, { getRemainingTimeInMillis }: LambdaContext): Promise<void> {
  return upkeep(context, consoleLog, () => getRemainingTimeInMillis() < REST_MS);
}
