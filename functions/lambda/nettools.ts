/** `/nettools`, `/jobs`, `/batches` and `/health` in Lambda. */
import { readConfig } from '../config.ts';
import { nettoolsGroup } from '../groups/nettools.ts';
import { batches, devices, jobs } from '../store-openers.ts';
import { agentsInLambda } from './agents.ts';
import { contextInLambda } from './context.ts';
import { batchQueueInLambda } from './queues.ts';
import { serve } from './serve.ts';

const config = readConfig();
const context = contextInLambda(config, { batches, devices, jobs });
const agents = agentsInLambda(config, context);

// Connects before the first request. Awaited, because Lambda may freeze what is still pending when this module has been
// loaded. If the broker cannot be reached now, the request that needs it tries again.
await agents.ping().catch((error: unknown) => {
  context.log.warn({ err: error }, 'the broker could not be reached when the function started');
});

export const handler = serve(nettoolsGroup, {
  ...context,
  agents,
  batchQueue: batchQueueInLambda(config, context.now),
});
