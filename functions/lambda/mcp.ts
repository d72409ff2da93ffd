/** `/mcp` in Lambda. Most calls are about devices, and need no connection to the broker. */
import '@modelcontextprotocol/server'; // Loaded at the start, because every request needs it.
import { readConfig } from '../config.ts';
import { mcpGroup } from '../groups/mcp.ts';
import { batches, deletions, jobs, months, ports, series, siteStates } from '../store-openers.ts';
import { agentsInLambda } from './agents.ts';
import { contextInLambda, FOR_PLANS } from './context.ts';
import { batchQueueInLambda } from './queues.ts';
import { serve } from './serve.ts';

const config = readConfig();
const context = contextInLambda(config, { batches, deletions, jobs, months, ports, series, siteStates, ...FOR_PLANS });
const agents = agentsInLambda(config, context);
const batchQueue = batchQueueInLambda(config, context.now);

export const handler = serve(mcpGroup, { ...context, agents, batchQueue, registry: { publish: agents.control } });
