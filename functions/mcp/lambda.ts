/** `/mcp` in Lambda. Streamed: commands take longer than a buffered answer may, and clients hear of their progress. */
import { streamHandle } from 'hono/aws-lambda';
import { readConfig, readCredentials } from '../context/config.ts';
import { contextInLambda } from '../context/lambda-context.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { consoleLog } from '../log/log.ts';
import { openAgentDispatcher } from '../mqtt/agent-dispatcher.ts';
import { signedBroker } from '../mqtt/signed-url.ts';
import { loadProtocol, mcpGroup } from './endpoint.ts';

// While the function starts, when it has more of a processor than for a request.
await loadProtocol();
const config = readConfig();
const broker = signedBroker({ host: config.iotEndpoint, region: config.region }, readCredentials);
// The first command opens the connection to the broker: most calls are about devices, and need none.
const context = contextInLambda(config, { agents: (stores) => openAgentDispatcher(broker, stores, consoleLog) });

export const handler = streamHandle(behindGateway(service(context, mcpGroup), 'streamed'));
