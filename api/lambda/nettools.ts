/** `/nettools`, `/jobs` and `/health` in Lambda. Streamed: a buffered answer must come within 29 seconds. */
import { streamHandle } from 'hono/aws-lambda';
import { openAgentDispatcher } from '../commands/agent-dispatcher.ts';
import { nettoolsGroup } from '../commands/handlers.ts';
import { jobsGroup } from '../commands/job-handlers.ts';
import { signedBroker } from '../commands/signed-url.ts';
import { readConfig, readCredentials } from '../context/config.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { healthGroup } from '../status/health.ts';
import { consoleLog } from '../status/log.ts';
import { contextInLambda } from './lambda-context.ts';

const config = readConfig();
const broker = signedBroker(config.stage, { host: config.iotEndpoint, region: config.region }, readCredentials);
const context = contextInLambda(config, { agents: (stores) => openAgentDispatcher(broker, stores, consoleLog) });

// Connects before the first request. Awaited, because Lambda may freeze what is still pending when this module has been
// loaded. If the broker cannot be reached now, the request that needs it tries again.
await context.agents.ping().catch((error: unknown) => {
  consoleLog.warn({ err: error }, 'the broker could not be reached when the function started');
});

export const handler = streamHandle(behindGateway(service(context, nettoolsGroup, jobsGroup, healthGroup)));
