/** `/nettools`, `/jobs`, `/batches`, `/scans`, `/health` and `/mcp` in Lambda. */
import '@modelcontextprotocol/server'; // Preloaded, because every request of an assistant needs it.
import { readConfig } from '../../config.ts';
import { deletions, jobs, months, ports, runs, series, siteStates } from '../../store-openers.ts';
import { commandsGroup } from '../commands.ts';
import { agentsInLambda } from './agents.ts';
import { contextInLambda, FOR_PLANS } from './context.ts';
import { taskQueueInLambda } from './queue.ts';
import { serve } from './serve.ts';

const config = readConfig();
const context = contextInLambda(config, { deletions, jobs, months, ports, runs, series, siteStates, ...FOR_PLANS });
const agents = agentsInLambda(config, context);

// Connects before the first request. Awaited, because Lambda may freeze pending work once this module is loaded. After a
// failure, the first request that needs the broker retries.
await agents.ping().catch((error: unknown) => {
  context.log.warn({ err: error }, 'the broker could not be reached when the function started');
});

export const handler = serve(commandsGroup, {
  ...context,
  agents,
  runQueue: taskQueueInLambda(config, context.now),
  registry: { publish: agents.control },
});
