/** `/mcp` in Lambda. Streamed: commands take longer than a buffered answer may, and clients hear of their progress. */
import * as protocol from '@modelcontextprotocol/server';
import { streamHandle } from 'hono/aws-lambda';
import { mcpGroup } from '../assistants/endpoint.ts';
import { openAgentDispatcher } from '../commands/agent-dispatcher.ts';
import { signedBroker } from '../commands/signed-url.ts';
import { readConfig, readCredentials } from '../context/config.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { consoleLog } from '../status/log.ts';
import { contextInLambda } from './lambda-context.ts';

const config = readConfig();
const broker = signedBroker(config.stage, { host: config.iotEndpoint, region: config.region }, readCredentials);
// The first command opens the connection to the broker: most calls are about devices, and need none.
const context = contextInLambda(config, { agents: (stores) => openAgentDispatcher(broker, stores, consoleLog) });

const group = mcpGroup(async () => protocol);

export const handler = streamHandle(behindGateway(service(context, group)));
