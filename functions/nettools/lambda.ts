/** `/nettools`, `/jobs` and `/health` in Lambda. Streamed: a buffered answer must come within 29 seconds. */
import { streamHandle } from 'hono/aws-lambda';
import { readConfig, readCredentials } from '../context/config.ts';
import { contextInLambda } from '../context/lambda-context.ts';
import { behindGateway } from '../http/gateway.ts';
import { healthGroup } from '../http/health.ts';
import { service } from '../http/service.ts';
import { jobsGroup } from '../jobs/handlers.ts';
import { consoleLog } from '../log/log.ts';
import { openAgentDispatcher } from '../mqtt/agent-dispatcher.ts';
import { signedBroker } from '../mqtt/signed-url.ts';
import { nettoolsGroup } from './handlers.ts';

const config = readConfig();
const broker = signedBroker(config.stage, { host: config.iotEndpoint, region: config.region }, readCredentials);
const context = contextInLambda(config, { agents: (stores) => openAgentDispatcher(broker, stores, consoleLog) });

// Connects before the first request. Awaited, because Lambda may freeze what is still pending when this module has been
// loaded. If the broker cannot be reached now, the request that needs it tries again.
await context.agents.ping().catch((error: unknown) => {
  consoleLog.warn({ err: error }, 'the broker could not be reached when the function started');
});

export const handler = streamHandle(behindGateway(service(context, nettoolsGroup, jobsGroup, healthGroup)));
