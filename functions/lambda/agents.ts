/** The connection to IoT Core's broker, for functions that send commands. */
import { type AgentDispatcher, openAgentDispatcher } from '../commands/agent-dispatcher.ts';
import { signedBroker } from '../commands/signed-url.ts';
import { type Config, readCredentials } from '../config.ts';
import type { BaseContext } from '../context.ts';

/** The first message opens the connection. */
export function agentsInLambda({ stage, iotEndpoint, region }: Config, context: BaseContext): AgentDispatcher {
  const broker = signedBroker(stage, { host: iotEndpoint, region }, readCredentials);
  return openAgentDispatcher(broker, context, context.log);
}
